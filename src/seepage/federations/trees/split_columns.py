"""One party's columns in the training of trees: the only place where thresholds live."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.crypto import Adder, Vector
from seepage.errors import BadMessage
from seepage.federations.trees.binned_search import BinnedSearch
from seepage.federations.trees.candidates import Answer, Candidates, Level
from seepage.federations.trees.presorted_search import PresortedSearch
from seepage.federations.trees.settings import GrowthSettings
from seepage.federations.trees.split_draw import SplitDraw
from seepage.partition import OwnPart
from seepage.shapes import Array, Integers, Mask, Matrix, Rows, Singles
from seepage.trees.whole_tree import pack_trees

NodeKey: TypeAlias = tuple[int, int, int]
"""Round, tree of the round, heap number."""


@dataclass(frozen=True, slots=True)
class Split:
    """Rows with a value at or below the threshold go left; those without one as `missing_left` says."""

    column: int
    threshold: float
    missing_left: bool

    def left(self, values: Singles) -> Mask:
        """Say which values go left.

        >>> Split(0, 1.5, missing_left=True).left(np.array([1.0, 2.0, np.nan], dtype=np.float32))
        array([ True, False,  True])
        """
        goes_left: Mask = values <= np.float32(self.threshold)
        return goes_left | np.isnan(values) if self.missing_left else goes_left


@dataclass(eq=False)
class SplitColumns:
    """A party's columns, its search for candidates, and the splits it has made.

    Parameters
    ----------
    names
        The encoded columns.
    columns
        Columns by training rows.
    features
        All rows of the table by columns, for predictions.
    train
        The table rows that take part in training.
    where
        The position of each table row among the training rows; −1 for the others.
    share
        Which share of the columns takes part in a tree, drawn anew for each.
    draw
        Which of those may split a node, where that is drawn too.
    """

    names: tuple[str, ...]
    columns: Singles
    features: Singles
    train: Rows
    where: Integers
    search: BinnedSearch | PresortedSearch
    share: float
    rng: Generator
    draw: SplitDraw | None = None
    splits: dict[NodeKey, Split] = field(default_factory=dict)
    _tree: tuple[int, int] = (0, 0)
    _level: Level | None = None
    _candidates: Candidates | None = None

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.columns)

    @property
    def in_tree(self) -> int:
        """How many of them take part in a tree."""
        return max(1, round(self.share * self.width))

    def begin_tree(self, round_: int, number: int) -> None:
        """Draw the columns of a tree."""
        self._tree, count = (round_, number), self.in_tree
        drawn = np.arange(self.width) if count == self.width else self.rng.choice(self.width, count, replace=False)
        self.search.begin(np.sort(drawn))

    def level(self, nodes: tuple[int, ...], rows: Rows, starts: Integers) -> Level:
        """Return a level of table rows as positions in training."""
        positions = self.where[rows]
        if not len(rows) or (positions < 0).any() or len(set(nodes)) < len(nodes):
            raise BadMessage("Nodes hold rows that do not train, hold none, or come twice.")
        return Level(nodes, positions, starts)

    def sums(self, level: Level, adder: Adder[Vector], sealed: Vector) -> Answer[Vector]:
        """Return the sums left of all candidates of a level."""
        self._level = level
        drawn = np.stack([self.draw.at(self._tree, node) for node in level.nodes]) if self.draw else None
        self._candidates, answer = self.search.sums(level, adder, sealed, drawn)
        return answer

    def sums_again(self, adder: Adder[Vector], sealed: Vector) -> Vector:
        """Return the sums of something else left of the same candidates."""
        assert self._level is not None
        return self.search.again(self._level, adder, sealed)

    def split(self, key: NodeKey, candidate: int) -> Mask:
        """Split a node of the last level, and say which of its rows go left."""
        assert self._level is not None
        assert self._candidates is not None
        place = self._level.nodes.index(key[2])
        if key in self.splits or not 0 <= candidate < int(np.diff(self._candidates.nodes)[place]):
            raise BadMessage("A node is to be split twice, or where nothing can be split.")
        chosen = int(self._candidates.nodes[place]) + candidate
        split = Split(
            column=int(self._candidates.columns[chosen]),
            threshold=float(self._candidates.thresholds[chosen]),
            missing_left=bool(self._candidates.missing_left[chosen]),
        )
        values = self.columns[split.column, self._level.of(place)]
        left = split.left(values)
        if not np.isnan(values).any():  # nothing was learned about gaps here: they go with the majority
            split = replace(split, missing_left=bool(2 * np.count_nonzero(left) >= len(left)))
        self.splits[key] = split
        return left

    def rows_of(self, node: int) -> Rows:
        """Return the table rows of a node of the last level."""
        assert self._level is not None
        return self.train[self._level.of(self._level.nodes.index(node))]

    def packed(
        self, leaves: Mapping[NodeKey, Matrix] | None = None, grafted: frozenset[NodeKey] = frozenset()
    ) -> dict[str, Array]:
        """Return all splits of this party as named arrays, with the leaves where it holds them."""
        splits = {key: (split.column, split.threshold, split.missing_left) for key, split in self.splits.items()}
        return pack_trees(self.names, splits, leaves, grafted)

    def directions(self, rows: Rows, round_: int, tree: int, nodes: Integers) -> Mask:
        """Say for each row of the table whether it goes left at its node."""
        goes_left = np.zeros(len(rows), dtype=np.bool_)
        for node in np.unique(nodes):
            here = nodes == node
            split = self.splits[round_, tree, int(node)]
            goes_left[here] = split.left(self.features[rows[here], split.column])
        return goes_left


def split_columns(part: OwnPart, train: Rows, growth: GrowthSettings, *, share: float, rng: Generator) -> SplitColumns:
    """Prepare a party's columns: sorted once, or binned once."""
    features = np.asarray(part.features, dtype=np.float32)
    if np.isinf(features).any():
        raise ValueError(f"the columns of {part.party} hold infinite values, which no threshold can part")
    columns = np.ascontiguousarray(features[train].T)
    where = np.full(len(part.features), -1, dtype=np.int64)
    where[train] = np.arange(len(train))
    search: BinnedSearch | PresortedSearch
    if growth.candidates == "quantiles-once":
        search = BinnedSearch.of(columns, growth.bins, growth.least_rows)
    else:
        search = PresortedSearch.of(columns, 0 if growth.candidates == "all" else growth.bins, growth.least_rows)
    return SplitColumns(part.names, columns, features, train, where, search, share, rng)
