"""People who stay out of training."""

import math
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.random import Generator

from seepage.checks import check_below_one, check_between
from seepage.data import Property
from seepage.errors import BadSetting
from seepage.hooks import Defense, Hook, Seam
from seepage.partition import OwnPart
from seepage.shapes import Mask, Rows


@dataclass(frozen=True, kw_only=True)
class Withdrawal(Defense):
    r"""Withdraw rows that have the property after ids are aligned and before training begins.

    D5 of paper 000, §VII-E. The victim, who holds the attribute of an audited
    property, draws a share of the training rows that have it, and takes them out
    for everybody. Where *k* of *n* aligned rows have the property and *x* of these
    are withdrawn, the fraction among those trained on is :math:`(k - x) / (n - x)`.

    It promises nothing, and gives something away. **Who sees the ids before and
    after sees exactly who was withdrawn, and all of them have the property**: a
    leak about single people, where there was one about a fraction. And their
    number puts them back: an estimate :math:`\hat t` of the fraction of what is left
    becomes :math:`(x + \hat t \, (n - x)) / n`.

    Parameters
    ----------
    share
        The share of the rows with the property that is withdrawn, from 0 to 1;
        paper 000 tries 0.1, 0.2 and 0.5.
    until
        Withdraw instead just as many as bring the fraction down to this, which
        is 0 or more and below 1.
    property
        The property, as it is audited (``sex=Male``). Empty means all audited
        ones that the party holds: it withdraws from the rows that have any of them.

    Notes
    -----
    Rows are drawn at random and those left stay in order. The authors' code drops
    the first ones, and then trains on rows that are sorted by the property. A
    finding has the error against the fraction before withdrawal; beside it stand
    `error_after_withdrawal`, the shift itself (`withdrawal_shift`), and
    `error_putting_back`.
    """

    acts_on = frozenset({Seam.ALIGNMENT})

    share: float = 0.2
    until: float | None = None
    property: str = ""

    def __post_init__(self) -> None:
        check_between(0, 1, share=self.share)
        check_below_one(until=self.until)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: draw once who is withdrawn; a party that does not hold the property withdraws nobody."""
        has = self._has(own_part)
        if has is None:
            return Hook()
        train = np.arange(len(has)) if own_part.train is None else own_part.train
        having = train[has[train]]
        count = self._count(len(having), len(train), own_part.party)
        withdrawn = rng.permutation(having)[:count]

        def without(rows: Rows) -> Rows:
            return rows[~np.isin(rows, withdrawn)]

        return Hook(alignment=without)

    def _has(self, own_part: OwnPart) -> Mask | None:
        """Return which rows have the property; None where this party does not hold it."""
        wanted = str(Property.parse(self.property)) if self.property else None
        held = [mask for name, mask in own_part.properties.items() if wanted in {None, name}]
        return reduce(np.logical_or, held) if held else None

    def _count(self, having: int, rows: int, party: str) -> int:
        """Return how many rows to withdraw."""
        if self.until is None:
            return round(self.share * having)
        if not self.until * rows < having:
            raise BadSetting(
                f"until is {self.until:g}, but of the training rows of '{party}' only {having / rows:.3f} have the "
                "property, and to withdraw those only lowers it. Set until below that."
            )
        return to_withdraw(having, rows, self.until)


def to_withdraw(having: int, rows: int, fraction: float) -> int:
    r"""Return the fewest of the rows that have a property without which at most a fraction of the others has it.

    That is :math:`\lceil (k - f n) / (1 - f) \rceil` for *k* of *n* rows.

    >>> to_withdraw(6, 10, 0.5)
    2
    """
    return math.ceil(round((having - fraction * rows) / (1 - fraction), 9))  # 0.3 × 10 is 3
