"""Candidate thresholds chosen once for a whole training."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seepage.shapes import Matrix
from seepage.threads import over_ranges
from seepage.trees.presorted import between


@dataclass(frozen=True, eq=False)
class Bins:
    """Columns as bin numbers.

    Parameters
    ----------
    codes
        Rows by columns. A missing value has the number `missing`.
    thresholds
        The upper edge of every bin but the last, column by column.
    missing
        The bin of missing values, one behind the last bin any column has.
    has_missing
        Which columns have missing values at all.
    """

    codes: NDArray[np.uint8] | NDArray[np.uint16]
    thresholds: tuple[NDArray[np.float32], ...]
    missing: int
    has_missing: NDArray[np.bool_]


def binned(columns: Matrix, most: int) -> Bins:
    """Put every column into at most so many bins of about equal size; few distinct values get a bin each.

    >>> bins = binned(np.array([[1.0, 2.0, 2.0, 9.0]], dtype=np.float32), most=32)
    >>> bins.codes.ravel(), bins.thresholds
    (array([0, 1, 1, 2], dtype=uint8), (array([1.4999999, 5.4999995], dtype=float32),))
    """
    if most + 1 > np.iinfo(np.uint16).max:
        raise ValueError(f"bins must be at most {np.iinfo(np.uint16).max - 1}, got {most}")
    count, rows = columns.shape
    thresholds: list[NDArray[np.float32]] = [np.zeros(0, dtype=np.float32)] * count
    has_missing = np.zeros(count, dtype=np.bool_)

    def choose(start: int, stop: int) -> None:
        for column in range(start, stop):
            ordered = np.sort(columns[column])
            present = int(np.searchsorted(ordered, np.nan))
            has_missing[column] = present < rows
            thresholds[column] = _edges(ordered[:present], most)

    over_ranges(choose, count)
    missing = max((len(edges) + 1 for edges in thresholds), default=1)
    codes = np.empty((rows, count), dtype=np.uint8 if missing <= np.iinfo(np.uint8).max else np.uint16)

    def encode(start: int, stop: int) -> None:
        for column in range(start, stop):
            _encode(columns[column], thresholds[column], missing, codes, column)

    over_ranges(encode, count)
    return Bins(codes, tuple(thresholds), missing, has_missing)


def _edges(ordered: NDArray[np.float32], most: int) -> NDArray[np.float32]:
    if len(ordered) == 0:
        return ordered
    last_of_run = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    if len(last_of_run) > most:
        ranks = np.arange(1, most) * len(ordered) // most
        last_of_run = np.unique(last_of_run[np.searchsorted(last_of_run, ranks)])
    ends = last_of_run[last_of_run < len(ordered) - 1]
    return between(ordered[ends], ordered[ends + 1])


@njit(cache=True, nogil=True)
def _encode(values: Any, edges: Any, missing: int, codes: Any, column: int) -> None:
    """Count the edges below each value by bisection without branches."""
    count = len(edges)
    for row in range(len(values)):
        value = values[row]
        if np.isnan(value):
            codes[row, column] = missing
            continue
        low, length = 0, count
        while length > 0:
            half = length >> 1
            step = half + 1
            below = edges[low + half] < value
            low += step * below
            length = (length - step) * below + half * (1 - below)
        codes[row, column] = low
