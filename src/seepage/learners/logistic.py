"""Logistic regression between two classes, solved to the last digit in a few steps."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.shapes import Array, Mask, Matrix

MOST_STEPS: Final = 50
"""Newton's method is there after five or ten steps; more are never needed."""
MOST_HALVINGS: Final = 30
"""How often a step that leads upwards is halved."""
CONVERGED: Final = 1e-9
"""A step that promises to lower the loss by less than this share of it is the last."""


@dataclass(frozen=True, eq=False)
class LogisticModel:
    r"""The confidence :math:`1 / (1 + e^{-(w^\top x + b)})` in the second of two classes."""

    weights: Array
    bias: float

    def confidences(self, points: Matrix) -> Array:
        """Return the confidence in each of both classes: rows by two.

        >>> LogisticModel(np.array([1.0]), 0.0).confidences(np.array([[0.0]]))
        array([[0.5, 0.5]])
        """
        second = _sigmoid(points @ self.weights + self.bias)
        return np.column_stack((1.0 - second, second))


def fitted_logistic(points: Matrix, second: Mask, strength: float, weights: Array | None = None) -> LogisticModel:
    r"""Minimize the penalized loss by Newton's method.

    .. math:: \tfrac{1}{2} \lVert w \rVert^2 + C \sum_i s_i \log(1 + e^{-t_i (w^\top x_i + b)}), \quad t_i = \pm 1

    Where there are more columns than rows the solution lies in the span of the rows, so it is looked
    for there. General-purpose solvers take longer to check a dozen rows than to learn from them.

    Parameters
    ----------
    points, second
        Rows by columns, and which rows are of the second class; both classes have rows.
    strength
        C, the inverse of the penalty.
    weights
        How much each row counts; 1 by default.

    Examples
    --------
    >>> model = fitted_logistic(np.array([[-1.0], [1.0]]), np.array([False, True]), strength=1.0)
    >>> bool(np.isclose(model.weights[0], 2 / (1 + np.exp(model.weights[0])))), round(model.bias, 6)
    (True, 0.0)
    """
    points = np.asarray(points, dtype=np.float64)
    if len(points) < points.shape[1]:
        span, triangle = np.linalg.qr(points.T)
        inside = _newton(triangle.T, second, strength, weights)
        return LogisticModel(span @ inside[:-1], float(inside[-1]))
    found = _newton(points, second, strength, weights)
    return LogisticModel(found[:-1], float(found[-1]))


def _newton(points: Matrix, second: Mask, strength: float, weights: Array | None) -> Array:
    """Return the coefficients, the intercept last."""
    rows, columns = points.shape
    wide = np.ones((rows, columns + 1))
    wide[:, :columns] = points
    signs = np.where(second, 1.0, -1.0)
    counts = strength * (np.ones(rows) if weights is None else np.asarray(weights, dtype=np.float64))
    penalty = np.ones(columns + 1)
    penalty[-1] = 0.0
    found = np.zeros(columns + 1)
    margins = np.zeros(rows)
    loss = _loss(found, margins, counts, penalty)
    for _ in range(MOST_STEPS):
        wrong = _sigmoid(-margins)
        slope = penalty * found - wide.T @ (counts * signs * wrong)
        bend = (wide.T * (counts * wrong * (1.0 - wrong))) @ wide
        bend[np.diag_indices_from(bend)] += penalty + 1e-12
        step = -np.linalg.solve(bend, slope)
        gain = -float(slope @ step)
        if gain <= CONVERGED * max(loss, 1e-12):
            break
        found, margins, loss, moved = _descended(wide, signs, found, step, loss, counts, penalty)
        if not moved:
            break
    return found


def _descended(
    wide: Matrix, signs: Array, found: Array, step: Array, loss: float, counts: Array, penalty: Array
) -> tuple[Array, Array, float, bool]:
    """Take a step, or half of it, or half of that, until the loss is lower."""
    for halving in range(MOST_HALVINGS):
        trial = found + 0.5**halving * step
        margins = signs * (wide @ trial)
        tried = _loss(trial, margins, counts, penalty)
        if tried < loss:
            return trial, margins, tried, True
    return found, signs * (wide @ found), loss, False


def _loss(found: Array, margins: Array, counts: Array, penalty: Array) -> float:
    return float(0.5 * found @ (penalty * found) + counts @ np.logaddexp(0.0, -margins))


def _sigmoid(logits: Array) -> Array:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * logits)))
