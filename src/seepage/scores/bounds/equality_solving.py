"""How far off a solution of exact linear equations can be."""

import numpy as np

from seepage.shapes import Matrix


def nearest_to_zero_bound(truth: Matrix) -> float:
    r"""Bound the error of the solution nearest to zero: Eq. 15 of paper 002.

    .. math:: MSE \le \frac{1}{n \, d} \sum_{t, i} 2 \, (x^t_i)^2

    for *n* rows of *d* unknown columns, whatever the equations are, so long as
    the truth solves them. Half of it holds as well: the error is the part of
    the truth that no equation sees.

    >>> nearest_to_zero_bound(np.array([[0.0, 1.0]]))
    1.0
    """
    return 2 * float(np.mean(np.asarray(truth, dtype=np.float64) ** 2)) if truth.size else 0.0  # Eq. 15


def nearest_in_box_bound(truth: Matrix, center: Matrix | float) -> float:
    r"""Bound the error of the solution nearest to a center inside a box that holds the truth.

    A projection on a convex set is never further from any of its points than
    what was projected: the error is at most that of the center itself.

    >>> nearest_in_box_bound(np.array([[0.0, 1.0]]), 0.5)
    0.25
    """
    return float(np.mean((np.asarray(truth, dtype=np.float64) - center) ** 2)) if truth.size else 0.0
