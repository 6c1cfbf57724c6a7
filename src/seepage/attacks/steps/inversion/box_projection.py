"""The solution of linear equations that lies nearest to a point inside a box."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.attacks.steps.inversion.linear_equations import NEGLIGIBLE, LinearEquations
from seepage.shapes import Floats, Matrix

SPREAD: Final = 1 / 12
"""How far values are taken to lie from the point, squared: that of uniform values between 0 and 1."""
SLACK: Final = 1e-9
"""Variance that every equation is granted, in units: it bends solutions by as much, and lets infeasible rows settle."""
CHUNK: Final = 1_000_000
"""How many numbers are held at a time: rows times the larger of columns and squared equations."""
MOST_STEPS: Final = 100
"""After so many Newton steps a row is left where it is, inside the box; rows outside the range may take dozens."""
HALVINGS: Final = 60
"""How often the interval that holds the length of a step is halved at most."""
CLOSE: Final = 0.1
"""How exactly the length of a step is found."""
SETTLED: Final = 1e-10
"""How far off its root a row may be when it counts as settled."""
ROUNDING: Final = 1e-15
"""How much more it may be off for float64, relative to the dual variable."""


@dataclass(frozen=True, eq=False)
class _Reduced:
    r"""Equations with orthonormal left-hand sides, :math:`V^\top u = b` up to noise of a known covariance.

    Parameters
    ----------
    basis
        Unknown columns by equations: *V*.
    sides
        Rows by equations: *b*.
    noise
        Rows (or 1 for all) by equations by equations.
    """

    basis: Floats
    sides: Floats
    noise: Floats


def nearest_in_box(equations: LinearEquations, center: Matrix, variances: Matrix) -> Matrix:
    r"""Return, for each row, the point between 0 and 1 that fits the equations and lies nearest to a center.

    It minimizes, over :math:`0 \le u \le 1`,

    .. math:: 12 \, \lVert u - c \rVert^2 + (\Theta u - a)^\top \Sigma^{-1} (\Theta u - a),

    where :math:`\Sigma = D \operatorname{diag}(s^2) D^\top` is how uncertain
    the right-hand sides are and 12 is one over the variance of a uniform value.
    For small *s* this is the projection of *c* on the solutions inside the box;
    where there are none, it is the point of the box that comes nearest to one.
    In the dual variable :math:`\lambda`, one for each equation, the minimum is where

    .. math:: \Theta \operatorname{clip}(c + \Theta^\top \lambda) + 12 \, \Sigma \lambda = a,

    found by a semismooth Newton method with a line search, all rows at once.

    Parameters
    ----------
    center
        One value for each unknown column.
    variances
        Rows (or 1 for all) by classes: :math:`s^2`, the variance of the logarithm of each confidence.

    Examples
    --------
    Two columns that add up to 1.5, of which the first counts double; then a sum that cannot be reached:

    >>> sides = np.array([[1.5], [4.0]])
    >>> equations = LinearEquations(np.array([[2.0, 1.0]]), sides, np.array([[-1.0, 1.0]]))
    >>> nearest_in_box(equations, np.full(2, 0.5), np.full((1, 2), 1e-24)).round(6)
    array([[0.5, 0.5],
           [1. , 1. ]])
    """
    count, unknown = len(equations.sides), equations.matrix.shape[1]
    found = np.empty((count, unknown))
    at_once = max(1, CHUNK // max(unknown, len(equations.matrix) ** 2))
    for start in range(0, count, at_once):
        part = slice(start, start + at_once)
        reduced = _reduced(equations, part, variances if len(variances) == 1 else variances[part])
        found[part] = _solved(reduced, np.asarray(center, dtype=np.float64))
    return found


def _reduced(equations: LinearEquations, part: slice, variances: Matrix) -> _Reduced:
    r"""Take the equations apart by singular values, so that scales of columns and classes are gone.

    Combinations of equations in which no column occurs tell the noise itself;
    what they say about the noise of the others is taken off (generalized least squares).
    """
    left, values, right = np.linalg.svd(equations.matrix, full_matrices=True)
    rank = int(np.sum(values > NEGLIGIBLE * values.max(initial=0.0)))
    mixing = left.T @ equations.differences
    noise = (mixing * variances[:, None, :]) @ mixing.T
    sides = equations.sides[part] @ left
    if rank < len(mixing):
        # rows (or 1) by idle equations by rank: the noise of the others, given that of the idle ones
        share = np.linalg.solve(noise[:, rank:, rank:], noise[:, rank:, :rank])
        sides = sides[:, :rank] - (sides[:, None, rank:] @ share)[:, 0]
        noise = noise[:, :rank, :rank] - noise[:, :rank, rank:] @ share
    scale = values[:rank]
    noise = noise / (scale[:, None] * scale * SPREAD) + SLACK * np.eye(rank)
    return _Reduced(np.asarray(right[:rank].T, np.float64), np.asarray(sides / scale, np.float64), np.asarray(noise))


def _solved(reduced: _Reduced, center: Floats) -> Floats:
    """Follow Newton steps until every row has settled."""
    basis, rank, count = reduced.basis, reduced.basis.shape[1], len(reduced.sides)
    squares = (basis[:, :, None] * basis[:, None, :]).reshape(len(basis), rank * rank)
    shared = len(reduced.noise) == 1
    dual = _over(np.eye(rank) + reduced.noise, reduced.sides - center @ basis)  # the solution if there were no box
    rows = np.arange(count)
    for _ in range(MOST_STEPS):
        now, sides = dual[rows], reduced.sides[rows]
        noise = reduced.noise if shared else reduced.noise[rows]
        place = center + now @ basis.T
        slope = _clipped(place) @ basis + _times(noise, now) - sides
        open_rows = _largest(slope) > SETTLED * (1 + _largest(sides)) + ROUNDING * _largest(now)
        if not open_rows.any():
            break
        rows, now, sides = rows[open_rows], now[open_rows], sides[open_rows]
        noise = noise if shared else noise[open_rows]
        place, slope = place[open_rows], slope[open_rows]
        free = ((place > 0) & (place < 1)).astype(np.float64)
        step = -_over((free @ squares).reshape(-1, rank, rank) + noise, slope)
        bend = _times(noise, step)
        start, curve = (bend * now - sides * step).sum(axis=1), (bend * step).sum(axis=1)
        dual[rows] = now + _length(place, step @ basis.T, start, curve)[:, None] * step
    return _clipped(center + dual @ basis.T)


def _length(place: Floats, move: Floats, start: Floats, curve: Floats) -> Floats:
    """Return how far to go along each step: to where the objective, convex and quadratic in pieces, is least.

    Its slope after a length *t* is that of the box at ``place + t * move``, and ``start + t * curve`` from the noise.
    """

    def slope(length: Floats) -> Floats:
        there = _clipped(place + length[:, None] * move)
        return np.asarray(np.einsum("ij,ij->i", there, move) + start + length * curve)

    result = np.ones(len(place))
    beyond = np.flatnonzero(slope(result) > 0)
    place, move, start, curve = place[beyond], move[beyond], start[beyond], curve[beyond]
    low, high = np.zeros(len(beyond)), np.ones(len(beyond))
    for _ in range(HALVINGS):
        if (high - low <= CLOSE * high).all():
            break
        middle = (low + high) / 2
        up = slope(middle) > 0
        low, high = np.where(up, low, middle), np.where(up, middle, high)
    result[beyond] = high
    return result


def _largest(numbers: Floats) -> Floats:
    return np.asarray(np.abs(numbers).max(axis=1, initial=0.0))


def _clipped(place: Floats) -> Floats:
    return np.clip(place, 0.0, 1.0)


def _times(matrices: Floats, vectors: Floats) -> Floats:
    if len(matrices) == 1:
        return np.asarray(vectors @ matrices[0].T, dtype=np.float64)
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0], dtype=np.float64)


def _over(matrices: Floats, vectors: Floats) -> Floats:
    if len(matrices) == 1:
        return np.asarray(np.linalg.solve(matrices[0], vectors.T).T, dtype=np.float64)
    return np.asarray(np.linalg.solve(matrices, vectors[:, :, None])[:, :, 0], dtype=np.float64)
