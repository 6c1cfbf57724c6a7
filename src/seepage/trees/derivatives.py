"""Gradients and Hessians in fixed point, so that sums are the same in any order and under encryption."""

from typing import Any, Final

import numpy as np
from numba import njit

from seepage.shapes import Floats, Integers32, Labels, Matrix
from seepage.threads import over_ranges

FRACTION_BITS: Final = 30
UNIT: Final = 2.0**-FRACTION_BITS
"""What one unit of fixed point is worth: derivatives lie in [−1, 1], so each fits into 32 bits."""
LARGEST: Final = 2**FRACTION_BITS
"""The largest magnitude a single derivative can have in fixed point."""


def logistic_derivatives(margins: Floats, labels: Labels) -> Integers32:
    """Return :math:`p - y` and :math:`p(1 - p)` of the logistic loss for one margin a row.

    >>> logistic_derivatives(np.array([0.0]), np.array([1])) * UNIT
    array([[-0.5 ,  0.25]])
    """
    return _in_ranges(_logistic, margins, labels, 2)


def softmax_derivatives(margins: Matrix, labels: Labels) -> Integers32:
    """Return :math:`p_c - [y = c]` and :math:`2 p_c (1 - p_c)`, class after class.

    Twice the diagonal of the Hessian bounds the whole of it, which is what
    XGBoost steps with.

    >>> softmax_derivatives(np.zeros((1, 2)), np.array([0])) * UNIT
    array([[-0.5,  0.5,  0.5,  0.5]])
    """
    return _in_ranges(_softmax, margins, labels, 2 * margins.shape[1])


def _in_ranges(fill: Any, margins: Matrix, labels: Labels, width: int) -> Integers32:
    found = np.empty((len(margins), width), dtype=np.int32)
    over_ranges(lambda start, stop: fill(margins[start:stop], labels[start:stop], found[start:stop]), len(margins))
    return found


@njit(cache=True, nogil=True)
def _logistic(margins: Any, labels: Any, derivatives: Any) -> None:
    scale = 1.0 / UNIT
    for row in range(len(margins)):
        p = 1.0 / (1.0 + np.exp(-margins[row]))
        derivatives[row, 0] = int(np.rint((p - labels[row]) * scale))
        derivatives[row, 1] = int(np.rint(p * (1.0 - p) * scale))


@njit(cache=True, nogil=True)
def _softmax(margins: Any, labels: Any, derivatives: Any) -> None:
    scale = 1.0 / UNIT
    classes = margins.shape[1]
    weights = np.empty(classes)
    for row in range(len(margins)):
        top = margins[row].max()
        total = 0.0
        for c in range(classes):
            weights[c] = np.exp(margins[row, c] - top)
            total += weights[c]
        for c in range(classes):
            p = weights[c] / total
            derivatives[row, 2 * c] = int(np.rint((p - (labels[row] == c)) * scale))
            derivatives[row, 2 * c + 1] = int(np.rint(2.0 * p * (1.0 - p) * scale))
