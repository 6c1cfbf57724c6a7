"""Intermediate results of all training rows beside those of auxiliary rows."""

from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.norms.distribution_comparison import Comparison
from seepage.attacks.steps.norms.norm_divergences import divergence_notes, norm_spread
from seepage.errors import IncompatibleView
from seepage.guesses import FractionGuess, NormHistograms
from seepage.shapes import Array, Mask
from seepage.views.auxiliary import KnownRows
from seepage.views.intermediate_results import IntermediateResults

FRACTIONS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The populations of Figure 2 of paper 000."""


def compared_results(
    results: IntermediateResults, known: KnownRows, comparison: Comparison, rng: Generator
) -> FractionGuess:
    """Estimate the fraction from each kind of intermediate results and average: Algorithm 1 of paper 000.

    Queries are drawn from all training rows, auxiliary ones included, but not
    from rows for which people stand in whom nobody else knows: those are no part of
    the population. Beside stand the estimate of each kind alone, the divergences
    of Table II (of VO where it is known, of AO otherwise), and for each kind how norms are
    spread at five fractions.
    """
    places = results.at(known.rows)
    asked = np.ones(len(results.rows), dtype=bool)
    asked[places] = known.aligned
    norms = {kind: _finite(kind, comparison.norms(matrix)) for kind, matrix in results.of.items()}
    found = {
        str(kind): comparison.estimate(values[places], known.has, values[asked], rng) for kind, values in norms.items()
    }
    return FractionGuess(
        float(np.mean(list(found.values()))),
        others=found,
        notes=divergence_notes(norms["VO" if "VO" in norms else "AO"][places], known.has, rng),
        pictures={str(kind): _picture(values[places], known.has) for kind, values in norms.items()},
    )


def _finite(kind: str, norms: Array) -> Array:
    if not np.isfinite(norms).all():
        raise IncompatibleView(
            f"Some norms of {kind} are no numbers, since training ran away. Lower its learning rate."
        )
    return norms


def _picture(norms: Array, has: Mask) -> NormHistograms:
    spread = norm_spread(norms, has)
    return NormHistograms(spread.edges, {fraction: spread.at(fraction) for fraction in FRACTIONS})
