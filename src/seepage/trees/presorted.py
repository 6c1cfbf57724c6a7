"""Candidates of many nodes at once, from columns that were sorted once.

Every column keeps its rows in the order of their values. When nodes are split
the order is regrouped by node, stably, so that it never has to be sorted again.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from seepage.shapes import Array, Integers, Integers32, Mask, Matrix, Singles
from seepage.threads import over_ranges


def sorted_orders(columns: Matrix) -> Integers32:
    """Return for every column (first axis) its rows in the order of their values, missing ones last.

    >>> sorted_orders(np.array([[3.0, np.nan, 1.0]]))
    array([[2, 0, 1]], dtype=int32)
    """
    orders = np.empty(columns.shape, dtype=np.int32)

    def sort(start: int, stop: int) -> None:
        for column in range(start, stop):
            orders[column] = np.argsort(columns[column], kind="stable")

    over_ranges(sort, len(columns))
    return orders


def regrouped(orders: Integers32, slots: Integers32, starts: Integers) -> Integers32:
    """Keep the rows that lie in a node, node after node, each in the order of its values.

    Parameters
    ----------
    slots
        The place of each row's node among the nodes; −1 for rows in none.
    starts
        Where each node begins in the result, and the total length.
    """
    grouped = np.empty((len(orders), int(starts[-1])), dtype=np.int32)
    over_ranges(lambda start, stop: _regroup(orders[start:stop], slots, starts, grouped[start:stop]), len(orders))
    return grouped


@njit(cache=True, nogil=True)
def _regroup(orders: Any, slots: Any, starts: Any, grouped: Any) -> None:
    for column in range(orders.shape[0]):
        place = starts[:-1].copy()
        for position in range(orders.shape[1]):
            row = orders[column, position]
            slot = slots[row]
            if slot >= 0:
                grouped[column, place[slot]] = row
                place[slot] += 1


@dataclass(frozen=True, eq=False)
class Runs:
    """Rows of nodes cut into runs, column after column, node after node.

    A block is one column of one node. Its rows lie in value order; a run ends
    where a candidate threshold lies. Rows whose value is missing form the last
    run of their block.

    Parameters
    ----------
    starts
        Where each run begins in the flattened order, and the total length.
    blocks
        The first run of each block, and the number of runs.
    missing
        Whether the block's last run holds missing values.
    """

    starts: Integers
    blocks: Integers
    missing: Mask


def runs_of(columns: Matrix, grouped: Integers32, starts: Integers, quantiles: int) -> Runs:
    r"""Cut every column of every node at its candidates.

    With `quantiles` *q* a node of more than *q* rows is cut behind the values at
    the ranks :math:`\lfloor k n / q \rfloor`, *k* = 0 … *q* − 1; a smaller one, and
    every one with 0, behind every distinct value.
    """
    count, nodes = len(grouped), len(starts) - 1
    sizes = np.zeros((count, nodes), dtype=np.int64)
    missing = np.zeros((count, nodes), dtype=np.bool_)
    nothing = np.zeros(0, dtype=np.int64)

    def measure(start: int, stop: int) -> None:
        _cut(columns[start:stop], grouped[start:stop], starts, quantiles, sizes[start:stop], missing[start:stop],
             nothing, 0)  # fmt: skip

    over_ranges(measure, count)
    blocks = np.concatenate(([0], np.cumsum(sizes.ravel())))
    ends = np.empty(int(blocks[-1]) + 1, dtype=np.int64)
    length = grouped.shape[1]

    def fill(start: int, stop: int) -> None:
        first, last = blocks[start * nodes], blocks[stop * nodes]
        _cut(columns[start:stop], grouped[start:stop], starts, quantiles, sizes[start:stop], missing[start:stop],
             ends[first + 1 : last + 1], start * length)  # fmt: skip

    over_ranges(fill, count)
    ends[0] = 0
    return Runs(ends, blocks, missing.ravel())


@njit(cache=True, nogil=True)
def _cut(
    columns: Any, grouped: Any, starts: Any, quantiles: int, sizes: Any, missing: Any, ends: Any, offset: int
) -> None:
    """Write the end of each run where there is room for them, and how many runs each block has."""
    written = 0
    length = grouped.shape[1]
    for column in range(grouped.shape[0]):
        values = columns[column]
        order = grouped[column]
        for node in range(len(starts) - 1):
            first, stop = starts[node], starts[node + 1]
            present = stop
            while present > first and np.isnan(values[order[present - 1]]):
                present -= 1
            rows = present - first
            runs = 0
            position = first
            rank = 0
            while position < present:
                if 0 < quantiles < rows:  # the next rank that lies at or behind this position
                    while rank < quantiles and first + rank * rows // quantiles < position:
                        rank += 1
                    position = first + rank * rows // quantiles if rank < quantiles else present - 1
                value = values[order[position]]
                position += 1
                while position < present and values[order[position]] == value:
                    position += 1
                if len(ends):
                    ends[written] = offset + column * length + position
                written += 1
                runs += 1
            if present < stop:
                if len(ends):
                    ends[written] = offset + column * length + stop
                written += 1
                runs += 1
                missing[column, node] = True
            sizes[column, node] = runs


def between(low: Array, high: Array) -> Singles:
    """Return thresholds just below halfway between two values, at or above the lower one.

    A value that lies exactly halfway goes right with the upper one, as in XGBoost.

    >>> between(np.array([1.0, 5.0], dtype=np.float32), np.array([2.0, np.inf], dtype=np.float32))
    array([1.4999999, inf], dtype=float32)
    """
    half = ((low.astype(np.float64) + high.astype(np.float64)) / 2).astype(np.float32)
    below = np.maximum(np.nextafter(half, np.float32(-np.inf)), low)
    return np.where(np.isinf(high), high, below).astype(np.float32)
