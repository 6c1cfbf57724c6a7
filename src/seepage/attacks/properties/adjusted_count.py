"""Count with a classifier, and correct the count by its own confusion."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack, BeginTampering
from seepage.attacks.steps.row_results import row_results, row_results_needs
from seepage.attacks.steps.tampering.stand_ins import stand_ins
from seepage.checks import check_least
from seepage.guesses import FractionGuess
from seepage.learners.quantification import FOLDS, Classifier, quantify, with_known
from seepage.views import Auxiliary, Needs, View
from seepage.views.intermediate_results import PENULTIMATE, Gradients
from seepage.views.knowledge import required_auxiliary


@dataclass(frozen=True, kw_only=True)
class AdjustedCount(Attack[FractionGuess]):
    r"""Count who has the property with a classifier on intermediate results, corrected by its own confusion.

    The statistician's way to estimate a fraction (quantification [1]_ [2]_). A
    classifier learns from auxiliary rows; what it says of auxiliary rows that were held
    out, :math:`s_1` on average for those with the property and :math:`s_0` for
    those without, turns its mean score :math:`s` of all other rows into

    .. math:: \hat t = \frac{s - s_0}{s_1 - s_0}.

    Auxiliary rows themselves count as what they are known to be. In a federation
    of trees the active party reads, in the place of intermediate results, the
    side of each of the others' splits that a row fell on, beside its own columns and labels.

    Parameters
    ----------
    epoch
        The epoch of training that is read, counted from 0; −2 is the last but one.
    classifier
        ``boosting``, ``logistic`` or ``network``, the small network of attribute-inference.
    folds
        How many parts the auxiliary rows are dealt into; each is held out once.
    gradients
        ``replayed`` by an active adversary from what it holds, or ``sent``: the
        victim's gradients as they crossed.
    auxiliary
        How many auxiliary rows are known, and how well.

    Notes
    -----
    Paper 000 does not have this attack. Beside it stand `error_adjusted` (the
    adjusted count of classified rows), `error_counted` (the same without a
    correction) and `error_averaged` (the mean score without one).

    References
    ----------
    .. [1] G. Forman, "Quantifying counts and costs via classification", Data
       Mining and Knowledge Discovery 17, 2008.
    .. [2] A. Bella et al., "Quantification via Probability Estimators", ICDM 2010.
    """

    name = "adjusted-count"
    steals = "properties"
    rows = "train"

    epoch: int = PENULTIMATE
    classifier: Classifier = "boosting"
    folds: int = FOLDS
    gradients: Gradients = "replayed"
    auxiliary: Auxiliary = Auxiliary()

    def __post_init__(self) -> None:
        check_least(2, folds=self.folds)

    @property
    def needs(self) -> Needs:
        """Embeddings of one epoch and own models at its end, or the others' splits of trees, and auxiliary rows."""
        return row_results_needs(self.auxiliary, self.epoch, self.gradients)

    @property
    def tampering(self) -> BeginTampering | None:
        """Let people whom nobody else knows stand in for aligned rows, where auxiliary rows are such people."""
        return None if self.auxiliary.aligned else stand_ins

    def run(self, view: View, rng: Generator) -> FractionGuess:
        """Estimate the fraction among all training rows."""
        known = required_auxiliary(view.knowledge)
        results = row_results(view, self.epoch, self.gradients)
        joined, places = results.joined(), results.at(known.rows)
        rest = np.setdiff1d(np.arange(len(results.rows)), places)
        found = quantify(joined[places], known.has, joined[rest], rng, self.classifier, self.folds)
        has = known.has if known.aligned else known.has[:0]  # strangers are not part of the population
        return FractionGuess(
            with_known(found.probabilistic, has, len(rest)),
            others={
                name: with_known(getattr(found, name), has, len(rest)) for name in ("adjusted", "counted", "averaged")
            },
            notes={
                "separation": found.separation,
                "informative": float(found.informative),
                "largest_score": found.largest,
            },
        )
