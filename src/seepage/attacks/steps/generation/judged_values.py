"""How well generated values do, as far as it shows without the truth."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.shapes import Matrix

EDGE: Final = 0.01
"""Values within this of 0 or 1 are saturated."""
MOST_SATURATED: Final = 0.5
"""Values have failed when more than this share of them is saturated."""
WORTH_FADING: Final = 0.8
"""What is further from the middle must explain confidences this much better."""
LEAST_VARIANCE: Final = 1e-6
"""Confidences that hardly vary need not be met any better than this."""


@dataclass(frozen=True, eq=False)
class JudgedValues:
    """Values from one start, and what became of the confidences.

    Parameters
    ----------
    units
        Rows by columns, in units of each column's range.
    confidence_error
        The squared distance from the released confidences, summed over classes, in the mean over rows.
    saturated
        The share of values within 0.01 of 0 or 1.
    failed
        Whether most values are saturated, or the error is above the variance of the released confidences.
    """

    units: Matrix
    confidence_error: float
    saturated: float
    failed: bool


def without_idle_columns(units: Matrix, middle: Matrix, says: Callable[[Matrix], Matrix], released: Matrix) -> Matrix:
    """Put the middle in every column, one after the other, where the model then says nothing further from the released.

    >>> import numpy as np
    >>> released, middle = np.array([[0.2], [0.8]]), np.array([0.5, 0.5])
    >>> without_idle_columns(np.array([[0.3, 0.9], [0.6, 0.1]]), middle, lambda units: units[:, :1], released).tolist()
    [[0.3, 0.5], [0.6, 0.5]]
    """
    kept, error = units, error_of(says(units), released)
    for column in range(units.shape[1]):
        trial = kept.copy()
        trial[:, column] = middle[column]
        found = error_of(says(trial), released)
        if found <= error:
            kept, error = trial, found
    return kept


def error_of(said: Matrix, released: Matrix) -> float:
    """Return the squared distance between confidences, summed over classes, in the mean over rows."""
    return float(((said - released) ** 2).sum(axis=1).mean())


def judged(units: Matrix, said: Matrix, released: Matrix) -> JudgedValues:
    """Judge generated values by what the model says of them.

    >>> import numpy as np
    >>> released = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> judged(np.array([[0.4], [0.7]]), released, released).failed
    False
    >>> judged(np.array([[0.0], [1.0]]), released, released).failed
    True
    >>> judged(np.array([[0.4], [0.7]]), released[::-1], released).failed
    True
    """
    error = error_of(said, released)
    saturated = float(((units < EDGE) | (units > 1 - EDGE)).mean())
    far = not error <= max(total_variance(released), LEAST_VARIANCE)
    return JudgedValues(units, error, saturated, saturated > MOST_SATURATED or far)


def faded(attempts: list[JudgedValues]) -> JudgedValues:
    """Return the last attempt if its confidence error is a fifth lower than that of the first; else the first.

    >>> import numpy as np
    >>> near, far = (JudgedValues(np.zeros((1, 1)), error, 0.0, failed=False) for error in (0.5, 0.3))
    >>> faded([near, far]) is far, faded([far, near]) is far
    (True, True)
    """
    first, last = attempts[0], attempts[-1]
    better = last.confidence_error < WORTH_FADING * first.confidence_error
    return last if better and (first.failed or not last.failed) else first


def best(attempts: list[JudgedValues]) -> JudgedValues:
    """Return the attempt with the lowest confidence error, those that failed last."""
    return min(attempts, key=lambda attempt: (attempt.failed, np.nan_to_num(attempt.confidence_error, nan=np.inf)))


def total_variance(confidences: Matrix) -> float:
    """Return the error of saying the mean confidences of every row.

    >>> import numpy as np
    >>> total_variance(np.array([[1.0, 0.0], [0.0, 1.0]]))
    0.5
    """
    return float(confidences.var(axis=0).sum())
