"""What a split is worth, and what a leaf says."""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from seepage.shapes import Counts, Integers, Mask, Matrix
from seepage.trees.derivatives import LARGEST, UNIT
from seepage.trees.gains import best_gini, best_second_order

Statistics = Integers
"""Sums of what was sealed for each row: class counts, or derivatives in fixed point."""


@dataclass(frozen=True)
class Gini:
    """Class counts: Gini gain and class ratios.

    >>> Gini().value(np.array([1, 3]))
    array([0.25, 0.75])
    """

    largest: ClassVar[int] = 1

    def best(self, left: Statistics, total: Statistics, allowed: Mask) -> tuple[int, float]:
        """Return the candidate of largest Gini gain; −1 where none gains anything."""
        chosen, gain = best_gini(left, total, allowed)
        return int(chosen), float(gain)

    def finished(self, total: Statistics) -> bool:
        """A node of one class is finished."""
        return int(np.count_nonzero(total)) <= 1

    def class_counts(self, sums: Statistics) -> Counts | None:
        """Return class counts where the statistics tell them: these are class counts themselves."""
        return sums

    def value(self, total: Statistics) -> Matrix:
        """Return class ratios."""
        return np.asarray(total / total.sum())


@dataclass(frozen=True)
class SecondOrder:
    """Gradients and Hessians: XGBoost's gain and leaf weight.

    >>> one_row = np.array([-(2**29), 2**28])  # gradient -0.5, Hessian 0.25
    >>> SecondOrder(l2=1.0, least_gain=0.0, least_weight=0.0, rate=0.5).value(one_row)
    array([0.2])
    """

    largest: ClassVar[int] = LARGEST

    l2: float
    least_gain: float
    least_weight: float
    rate: float

    def best(self, left: Statistics, total: Statistics, allowed: Mask) -> tuple[int, float]:
        """Return the candidate of largest second-order gain; −1 where none gains anything."""
        chosen, gain = best_second_order(left, total, allowed, UNIT, self.l2, self.least_gain, self.least_weight)
        return int(chosen), float(gain)

    def finished(self, total: Statistics) -> bool:
        """Only a search can tell."""
        del total
        return False

    def class_counts(self, sums: Statistics) -> Counts | None:
        """Derivatives do not tell classes."""
        del sums
        return None

    def value(self, total: Statistics) -> Matrix:
        """Return the step of each output."""
        gradient, hessian = total[0::2] * UNIT, total[1::2] * UNIT + self.l2
        weighty = (hessian > 0) & (hessian >= self.least_weight + self.l2)
        step = np.divide(gradient, hessian, out=np.zeros(len(gradient)), where=weighty)
        return np.asarray(-self.rate * step)


Criterion: TypeAlias = Gini | SecondOrder
"""How trees choose splits and fill leaves; `largest` is the largest magnitude that one row's statistic can have."""
