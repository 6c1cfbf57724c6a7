"""How far to trust an inversion, by rows whose values are known and were held out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.inversion.population_inversion import SentRows
from seepage.attacks.steps.values.regression import regressed
from seepage.shapes import Array, Floats, Rows

LEAST_KNOWN: Final = 8
"""With fewer known rows there is nothing to hold out: halves of them say nothing."""
CLEAR: Final = 0.5
"""An inversion less than this share as far off as blind values, squared, is trusted: half of the rows understate it."""
COMPANIONS: Final = 150
"""From as many rows besides those held out the population is learned where an inversion is checked."""

Inversion = Callable[[SentRows, tuple[Floats, Floats]], Floats]
"""From what was sent, and known rows with their own columns, to values of what was sent."""


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Rows whose values are known.

    Parameters
    ----------
    units
        Their values, of all columns that the model reads.
    beside
        Their own columns, as an inversion reads them.
    sent
        What was sent of them, or what would be sent of them by the released model; none of their values is held.
    inputs
        What their values are learned from without any message.
    """

    units: Floats
    beside: Floats
    sent: SentRows
    inputs: Floats

    def __len__(self) -> int:
        return len(self.units)

    def some(self, rows: Rows) -> "KnownRows":
        """Return some of them."""
        return KnownRows(self.units[rows], self.beside[rows], self.sent.some(rows), self.inputs[rows])


def weighed_with_blind(
    inverted: Floats, rows: SentRows, inputs: Floats, known: KnownRows, unknown: Rows, run: Inversion, rng: Generator
) -> tuple[Floats, float]:
    """Shrink inverted values towards what own columns tell; say how much of the inversion is left, of 1.

    An inversion that starts from few known rows may be further off than these rows by themselves: noise on the way
    leaves nearly everything to a start that fits them too closely. So it is run once more on every other known row,
    the rest held out, and asked about the rest, as is a regression on own columns; see `trust`.

    Parameters
    ----------
    inverted, rows, inputs
        What the inversion said, of which rows, and what their values are learned from without any message.
    unknown
        The columns that the adversary lacks.
    run
        The inversion, to be checked.
    """
    if len(known) < LEAST_KNOWN:
        return inverted, 1.0
    order = rng.permutation(len(known))
    kept, held = np.sort(order[::2]), np.sort(order[1::2])
    some = rows.some(np.sort(rng.permutation(len(rows))[:COMPANIONS]))
    asked = known.sent.some(held)
    said = run(asked.beside_others(some), (known.units[kept], known.beside[kept]))[: len(held), unknown]
    truth = known.units[:, unknown]
    blind, _ = regressed(known.inputs[kept], truth[kept], known.inputs[held])
    weights = trust(said, blind, truth[held])
    instead, _ = regressed(known.inputs, truth, inputs)
    weighed = inverted.copy()
    weighed[:, unknown] = instead + weights * (inverted[:, unknown] - instead)
    return weighed, float(weights.mean())


def trust(said: Floats, blind: Floats, truth: Floats) -> Array:
    r"""Return, for each column, which part of the way from blind values to those said is nearest to the truth.

    By least squares over the rows, :math:`w = \sum (x - b)(s - b) / \sum (s - b)^2` within [0, 1]. A few rows decide
    badly on one column, so that all columns together count for it as much as it does itself. Where all that is said is
    clearly nearer, nothing is taken off.

    >>> truth, blind = np.array([[0.2, 0.4], [0.6, 0.4]]), np.full((2, 2), 0.4)
    >>> trust(truth, blind, truth), trust(np.array([[0.6, 0.4], [0.2, 0.4]]), blind, truth)
    (array([1., 1.]), array([0., 0.]))
    """
    way = said - blind
    along, length = ((truth - blind) * way).sum(axis=0), (way**2).sum(axis=0)
    mean = length.mean()
    if not mean > 0 or ((said - truth) ** 2).sum() < CLEAR * ((blind - truth) ** 2).sum():
        return np.ones(said.shape[1])
    return np.asarray(np.clip((along + along.mean()) / (length + mean), 0.0, 1.0))
