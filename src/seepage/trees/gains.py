"""How much better two children are than their parent."""

from typing import Any

from numba import njit

SMALLEST_GINI_GAIN = 1e-10
SMALLEST_GAIN = 1e-6
"""A gain below these is rounding, not knowledge; the second is XGBoost's."""


@njit(cache=True, nogil=True)
def best_gini(left: Any, total: Any, allowed: Any) -> tuple[int, float]:
    r"""Return the candidate of largest Gini gain (paper 003, §2), −1 where none gains anything.

    .. math:: \frac{n^L}{n} \sum_c \left(\frac{n^{L,c}}{n^L}\right)^2
        + \frac{n^R}{n} \sum_c \left(\frac{n^{R,c}}{n^R}\right)^2 - \sum_c \left(\frac{n^c}{n}\right)^2

    Parameters
    ----------
    left
        Class counts of the left child, candidates by classes.
    total
        Class counts of the node.
    allowed
        Which candidates may win; empty for all.
    """
    rows = 0.0
    parent = 0.0
    for c in range(len(total)):
        rows += total[c]
        parent += float(total[c]) * float(total[c])
    parent /= rows * rows
    best, gain = -1, SMALLEST_GINI_GAIN
    for k in range(left.shape[0]):
        if len(allowed) and not allowed[k]:
            continue
        on_left, squares_left, squares_right = 0.0, 0.0, 0.0
        for c in range(len(total)):
            one = float(left[k, c])
            other = float(total[c]) - one
            on_left += one
            squares_left += one * one
            squares_right += other * other
        on_right = rows - on_left
        if on_left <= 0.0 or on_right <= 0.0:
            continue
        found = (squares_left / on_left + squares_right / on_right) / rows - parent
        if found > gain:
            best, gain = k, found
    return best, gain


@njit(cache=True, nogil=True)
def _score(gradient: float, hessian: float, l2: float, least_weight: float) -> float:
    weighty = hessian + l2 > 0.0 and hessian >= least_weight
    return gradient * gradient / (hessian + l2) if weighty else 0.0


@njit(cache=True, nogil=True)
def best_second_order(
    left: Any, total: Any, allowed: Any, unit: float, l2: float, least_gain: float, least_weight: float
) -> tuple[int, float]:
    r"""Return the candidate of largest second-order gain, −1 where none gains more than `least_gain`.

    .. math:: \sum_c \frac{(g^L_c)^2}{h^L_c + \lambda} + \frac{(g^R_c)^2}{h^R_c + \lambda}
        - \frac{g_c^2}{h_c + \lambda} > \gamma

    Parameters
    ----------
    left, total
        Sums in fixed point, gradient and Hessian of each output in turn.
    unit
        What one unit of fixed point is worth.
    least_weight
        An output with a smaller Hessian counts for nothing; where it is the
        only one, both children must have this much.
    """
    outputs = len(total) // 2
    parent = 0.0
    for c in range(outputs):
        parent += _score(total[2 * c] * unit, total[2 * c + 1] * unit, l2, least_weight)
    best, gain = -1, max(SMALLEST_GAIN, least_gain)
    for k in range(left.shape[0]):
        if len(allowed) and not allowed[k]:
            continue
        if outputs == 1 and min(left[k, 1], total[1] - left[k, 1]) * unit < least_weight:
            continue
        children = 0.0
        for c in range(outputs):
            gradient, hessian = left[k, 2 * c], left[k, 2 * c + 1]
            one = _score(gradient * unit, hessian * unit, l2, least_weight)
            other = _score((total[2 * c] - gradient) * unit, (total[2 * c + 1] - hessian) * unit, l2, least_weight)
            children += one + other  # in this order left and right can be swapped without a change in rounding
        if children - parent > gain:
            best, gain = k, children - parent
    return best, gain
