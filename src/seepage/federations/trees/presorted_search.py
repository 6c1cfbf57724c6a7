"""Candidates from the values that a node itself holds."""

from dataclasses import dataclass

import numpy as np

from seepage.crypto import Adder, Vector
from seepage.errors import BadMessage
from seepage.federations.trees.candidates import Answer, Candidates, Level, Recipe, left_of
from seepage.shapes import Integers, Integers32, Mask, Singles
from seepage.trees.presorted import Runs, between, regrouped, runs_of, sorted_orders


@dataclass(eq=False)
class PresortedSearch:
    """Cuts every node at quantiles of its own values, or behind every value (Algorithm 1, line 4)."""

    columns: Singles
    quantiles: int
    least_rows: int
    orders: Integers32
    drawn: Integers
    _current: Integers32
    _runs: Integers | None = None
    _recipe: Recipe | None = None

    @classmethod
    def of(cls, columns: Singles, quantiles: int, least_rows: int) -> "PresortedSearch":
        """Sort all columns once."""
        orders = sorted_orders(columns)
        return cls(columns, quantiles, least_rows, orders, np.arange(len(columns)), orders)

    def begin(self, columns: Integers) -> None:
        """Start a tree with some of the columns."""
        self.drawn = columns
        self._current = self.orders if len(columns) == len(self.orders) else self.orders[columns]

    def sums(
        self, level: Level, adder: Adder[Vector], sealed: Vector, drawn: Mask | None = None
    ) -> tuple[Candidates, Answer[Vector]]:
        """Return the candidates of a level, those of columns drawn for each node, and the sums left of each."""
        slots = np.full(self.columns.shape[1], -1, dtype=np.int32)
        slots[level.rows] = np.repeat(np.arange(len(level.nodes), dtype=np.int32), np.diff(level.starts))
        held = np.bincount(slots[self._current[0]] + 1, minlength=len(level.nodes) + 1)[1:]
        if not np.array_equal(held, np.diff(level.starts)):
            raise BadMessage("Nodes hold rows that the nodes above them do not.")
        self._current = regrouped(self._current, slots, level.starts)
        values = self.columns if len(self.drawn) == len(self.columns) else self.columns[self.drawn]
        runs = runs_of(values, self._current, level.starts, self.quantiles)
        ends = RunEnds.of(runs, len(level.nodes)).large_enough(self.least_rows)
        if drawn is not None:
            ends = ends.only(drawn[ends.node, ends.block // len(level.nodes)])
        self._runs, self._recipe = runs.starts, _recipe(runs, ends)
        candidates = _candidates(values, self._current, runs, ends, len(level.nodes), self.drawn)
        sums = self.again(level, adder, sealed)
        return candidates, Answer(np.diff(candidates.nodes), level.nodes, sums, np.zeros(0, dtype=np.bool_))

    def again(self, level: Level, adder: Adder[Vector], sealed: Vector) -> Vector:
        """Return the sums of something else left of the candidates found last."""
        del level
        assert self._runs is not None
        assert self._recipe is not None
        return left_of(self._recipe, adder.group_sums(sealed, self._current.ravel(), self._runs), adder)


@dataclass(frozen=True, eq=False)
class RunEnds:
    """The ends of runs behind which a split may lie, node after node.

    Parameters
    ----------
    run
        Which run ends there.
    block
        One column of one node.
    node
        The node's place in its level.
    left, total
        How many rows go left, and how many there are.
    with_missing
        Whether the block's missing values go left too.
    last
        Whether all values lie before it, and only missing ones behind.
    """

    run: Integers
    block: Integers
    node: Integers
    left: Integers
    total: Integers
    with_missing: Mask
    last: Mask

    @classmethod
    def of(cls, runs: Runs, nodes: int) -> "RunEnds":
        """List the ends: every one but the last of its block, those with missing values behind them twice."""
        block = np.repeat(np.arange(len(runs.blocks) - 1), np.diff(runs.blocks))
        final = runs.blocks[1:][block] - 1
        run = np.flatnonzero(np.arange(len(block)) < final)
        block, final = block[run], final[run]
        missing = runs.missing[block]
        last = missing & (run + 1 == final)
        first = runs.starts[runs.blocks[block]]
        left = runs.starts[run + 1] - first
        total = runs.starts[runs.blocks[block + 1]] - first
        absent = np.where(missing, runs.starts[final + 1] - runs.starts[final], 0)
        again = np.flatnonzero(missing & ~last)
        place = np.concatenate((np.arange(len(run)), again))
        with_missing = np.arange(len(place)) >= len(run)
        by_node = np.lexsort((run[place], block[place] // nodes, block[place] % nodes))
        place, with_missing = place[by_node], with_missing[by_node]
        return cls(
            run=run[place],
            block=block[place],
            node=block[place] % nodes,
            left=left[place] + np.where(with_missing, absent[place], 0),
            total=total[place],
            with_missing=with_missing,
            last=last[place],
        )

    def large_enough(self, least_rows: int) -> "RunEnds":
        """Keep what leaves enough rows on both sides."""
        if least_rows <= 1:
            return self
        return self.only((self.left >= least_rows) & (self.total - self.left >= least_rows))

    def only(self, kept: Mask) -> "RunEnds":
        """Keep some ends."""
        return RunEnds(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))


def _recipe(runs: Runs, ends: RunEnds) -> Recipe:
    """Lay out blocks with missing values a second time, those values first."""
    nothing = np.zeros(0, dtype=np.int64)
    twice = np.flatnonzero(runs.missing)
    if len(twice) == 0:
        return Recipe(nothing, runs.blocks[:-1], ends.run)
    count = int(runs.blocks[-1])
    sizes = np.diff(runs.blocks)[twice]
    begins = count + np.concatenate(([0], np.cumsum(sizes)))
    second = np.concatenate(
        [np.roll(np.arange(start, start + size), 1) for start, size in zip(runs.blocks[twice], sizes, strict=True)]
    )
    shift = np.zeros(len(runs.missing), dtype=np.int64)
    shift[twice] = begins[:-1] - runs.blocks[twice] + 1
    chosen = ends.run + np.where(ends.with_missing, shift[ends.block], 0)
    layout = np.concatenate((np.arange(count), second))
    return Recipe(layout, np.concatenate((runs.blocks[:-1], begins[:-1])), chosen)


def _candidates(
    values: Singles,
    order: Integers32,
    runs: Runs,
    ends: RunEnds,
    nodes: int,
    drawn: Integers,
) -> Candidates:
    """Put a threshold halfway to the next value."""
    column, flat, stop = ends.block // nodes, order.ravel(), runs.starts[ends.run + 1]
    low = values[column, flat[stop - 1]]
    high = np.where(ends.last, np.float32(np.inf), values[column, flat[np.minimum(stop, len(flat) - 1)]])
    return Candidates(
        nodes=np.concatenate(([0], np.cumsum(np.bincount(ends.node, minlength=nodes)))),
        columns=drawn[column].astype(np.int32),
        thresholds=between(low, high),
        missing_left=ends.with_missing,
    )
