"""Extremely randomized trees that answer while they grow, compiled."""

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.random import Generator

from seepage.shapes import Array, Matrix

SAME: Final = 1e-7
"""A column that varies by less among some rows does not tell them apart."""


def voted(inputs: Matrix, names: Array, sure: Array, others: Matrix, least: int, count: int, rng: Generator) -> Matrix:
    """Return the mean of what `count` trees say of other rows: rows by classes, which are numbered from 0.

    Each tree grows on all rows. A node draws as many varying columns as the root of their number, and a place to
    cut each of them at random; the cut of least impurity (Gini, [1]_) is made, where `least` rows or more are on
    either side. No tree is kept: rows to be told go down while it grows, and branches that none of them enters do not.

    References
    ----------
    .. [1] P. Geurts, D. Ernst and L. Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006.

    Examples
    --------
    >>> inputs, names = np.array([[0.0], [0.1], [0.9], [1.0]]), np.array([0, 0, 1, 1])
    >>> voted(inputs, names, np.ones(4), np.array([[-1.0], [2.0]]), 1, 8, np.random.default_rng(0))
    array([[1., 0.],
           [0., 1.]])
    """
    columns, asked = (np.ascontiguousarray(one.T, dtype=np.float64) for one in (inputs, others))
    said = np.zeros((len(others), int(names.max()) + 1))
    for _ in range(count):
        _grow(columns, names.astype(np.int64), sure.astype(np.float64), asked, least, rng, said)
    return said / count


@njit(cache=True, nogil=True)
def _grow(columns: Any, names: Any, sure: Any, asked: Any, least: int, rng: Any, said: Any) -> None:
    """Grow one tree, and add the shares of classes in the leaf of each row that is asked about."""
    rows, waiting = np.arange(columns.shape[1]), np.arange(asked.shape[1])
    features = np.arange(len(columns))
    stack = np.empty((len(rows) + 1, 4), dtype=np.int64)
    stack[0] = np.array([0, len(rows), 0, len(waiting)])
    depth = 1
    while depth:
        depth -= 1
        start, stop, first, last = stack[depth]
        if first == last:
            continue
        total = np.zeros(said.shape[1])
        for row in rows[start:stop]:
            total[names[row]] += sure[row]
        feature, cut = -1, 0.0
        if stop - start >= 2 * least and total.max() < total.sum():
            feature, cut = _best_cut(columns, names, sure, rows[start:stop], total, features, least, rng)
        if feature < 0:
            shares = total / max(total.sum(), 1e-300)
            for row in waiting[first:last]:
                said[row] += shares
            continue
        middle = start + _parted(rows[start:stop], columns[feature], cut)
        between = first + _parted(waiting[first:last], asked[feature], cut)
        stack[depth] = np.array([start, middle, first, between])
        stack[depth + 1] = np.array([middle, stop, between, last])
        depth += 2


@njit(cache=True, nogil=True)
def _best_cut(
    columns: Any, names: Any, sure: Any, rows: Any, total: Any, features: Any, least: int, rng: Any
) -> tuple[int, float]:
    """Draw columns and a cut of each; return the best, or −1 where none leaves enough rows on both sides."""
    wanted, tried = max(1, int(np.sqrt(len(features)))), 0
    best, feature, cut = -1.0, -1, 0.0
    for place in range(len(features)):
        other = place + int(rng.random() * (len(features) - place))
        features[place], features[other] = features[other], features[place]
        column = columns[features[place]]
        low, high = np.inf, -np.inf
        for row in rows:
            low, high = min(low, column[row]), max(high, column[row])
        if high <= low + SAME:
            continue
        here = low + (high - low) * rng.random()
        left, on_left = np.zeros(len(total)), 0
        for row in rows:
            if column[row] <= here:
                left[names[row]] += sure[row]
                on_left += 1
        one, two = left.sum(), (total - left).sum()
        if min(on_left, len(rows) - on_left) >= least and min(one, two) > 0:
            purity = (left**2).sum() / one + ((total - left) ** 2).sum() / two
            if purity > best:
                best, feature, cut = purity, features[place], here
        tried += 1
        if tried == wanted:
            break
    return feature, cut


@njit(cache=True, nogil=True)
def _parted(rows: Any, column: Any, cut: float) -> int:
    """Put rows on the left of a cut before the others, in place; return how many there are."""
    count = 0
    for place in range(len(rows)):
        if column[rows[place]] <= cut:
            rows[place], rows[count] = rows[count], rows[place]
            count += 1
    return count
