"""Candidates chosen once, the same for every node."""

from dataclasses import dataclass, replace

import numpy as np

from seepage.crypto import Adder, Vector
from seepage.federations.trees.candidates import Answer, Candidates, Level, Recipe, left_of
from seepage.shapes import Array, Integers, Mask, Singles
from seepage.trees.bins import Bins, binned


@dataclass(eq=False)
class BinnedSearch:
    """The same thresholds for every node.

    Of two siblings only the smaller is added up: what is left of the parent is
    the other one, and whoever opens the sums can take that difference. It costs
    nothing there, while the difference of two ciphertexts costs more than
    opening it. Where columns are drawn for each node, siblings do not answer
    about the same ones, and both are added up.
    """

    bins: Bins
    least_rows: int
    drawn: Integers
    codes: Array
    _template: "Template | None" = None
    _given: tuple[int, ...] = ()
    _kept: Integers | None = None

    @classmethod
    def of(cls, columns: Singles, most: int, least_rows: int) -> "BinnedSearch":
        """Bin all columns once."""
        bins = binned(columns, most)
        return cls(bins, least_rows, np.arange(len(columns)), bins.codes)

    def begin(self, columns: Integers) -> None:
        """Start a tree with some of the columns."""
        everything = len(columns) == self.bins.codes.shape[1]
        self.drawn = columns
        self.codes = self.bins.codes if everything else np.ascontiguousarray(self.bins.codes[:, columns])
        self._template = Template.of(self.bins, columns)

    def sums(
        self, level: Level, adder: Adder[Vector], sealed: Vector, drawn: Mask | None = None
    ) -> tuple[Candidates, Answer[Vector]]:
        """Return the candidates of a level, those of columns drawn for each node, and the sums left of each."""
        assert self._template is not None
        template, nodes = self._template, len(level.nodes)
        self._given = smaller_siblings(level) if drawn is None else level.nodes
        self._kept = None if drawn is None else np.flatnonzero(drawn[:, template.columns])
        candidates = Candidates(
            nodes=np.arange(nodes + 1) * len(template.columns),
            columns=np.tile(self.drawn[template.columns].astype(np.int32), nodes),
            thresholds=np.tile(template.thresholds, nodes),
            missing_left=np.tile(template.missing_left, nodes),
        )
        usable = np.zeros(0, dtype=np.bool_)
        if self.least_rows > 1:
            usable = np.concatenate([self._large_enough(level.of(place)) for place in range(nodes)])
        if self._kept is not None:
            candidates, usable = candidates.only(self._kept), usable[self._kept] if len(usable) else usable
        sums = self.again(level, adder, sealed)
        return candidates, Answer(np.diff(candidates.nodes), self._given, sums, usable)

    def again(self, level: Level, adder: Adder[Vector], sealed: Vector) -> Vector:
        """Return the sums of something else left of the candidates found last."""
        assert self._template is not None
        members = [level.of(level.nodes.index(node)) for node in self._given]
        starts = np.concatenate(([0], np.cumsum([len(rows) for rows in members])))
        rows = np.concatenate(members)
        sums = adder.bin_sums(sealed, rows, starts, self.codes, self.bins.missing + 1)
        recipe = self._template.repeated(len(members))
        if self._kept is not None:
            recipe = replace(recipe, chosen=recipe.chosen[self._kept])
        return left_of(recipe, sums, adder)

    def _large_enough(self, rows: Integers) -> Mask:
        """Say which candidates leave enough rows on both sides of a node."""
        assert self._template is not None
        width = self.bins.missing + 1
        flat = (self.codes[rows].astype(np.int64) + np.arange(len(self.drawn)) * width).ravel()
        counts = np.bincount(flat, minlength=width * len(self.drawn)).reshape(len(self.drawn), width)
        left = counts.cumsum(axis=1)[self._template.columns, self._template.bins]
        left = left + np.where(self._template.missing_left, counts[self._template.columns, self.bins.missing], 0)
        return np.asarray((left >= self.least_rows) & (len(rows) - left >= self.least_rows))


def smaller_siblings(level: Level) -> tuple[int, ...]:
    """Return the nodes of a level whose sums cannot be had from a parent and a sibling.

    >>> smaller_siblings(Level((2, 3), np.arange(5), np.array([0, 4, 5])))
    (3,)
    """
    sizes = dict(zip(level.nodes, np.diff(level.starts).tolist(), strict=True))
    return tuple(
        node
        for node, size in sizes.items()
        if node ^ 1 not in sizes or (size, node % 2) < (sizes[node ^ 1], 1 - node % 2)
    )


@dataclass(frozen=True, eq=False)
class Template:
    """The candidates that every node has.

    Parameters
    ----------
    columns, bins
        A candidate lies behind this bin of this column.
    recipe
        How what goes left is made of the bins of one node.
    sums
        How many bins one node has, over all columns.
    """

    columns: Integers
    bins: Integers
    thresholds: Singles
    missing_left: Mask
    recipe: Recipe
    sums: int

    @classmethod
    def of(cls, bins: Bins, drawn: Integers) -> "Template":
        """List the candidates of some columns, those with missing values once for each direction."""
        width = bins.missing + 1
        columns, behind, thresholds, missing_left = [], [], [], []
        for place, column in enumerate(drawn):
            edges = bins.thresholds[column]
            variants = [(edges, False)]
            if bins.has_missing[column]:  # the threshold behind all values parts them from the missing ones
                variants = [(np.append(edges, np.float32(np.inf)), False), (edges, True)]
            for cuts, left in variants:
                columns.append(np.full(len(cuts), place))
                behind.append(np.arange(len(cuts)))
                thresholds.append(cuts)
                missing_left.append(np.full(len(cuts), left))
        of_column, of_bin = np.concatenate(columns).astype(np.int64), np.concatenate(behind).astype(np.int64)
        with_missing = np.concatenate(missing_left)
        return cls(
            of_column,
            of_bin,
            np.concatenate(thresholds).astype(np.float32),
            with_missing,
            _recipe(len(drawn), width, of_column, of_bin, with_missing),
            len(drawn) * width,
        )

    def repeated(self, nodes: int) -> Recipe:
        """Return the recipe for several nodes, one behind the other."""
        laid = len(self.recipe.layout) or self.sums

        def shifted(positions: Integers, by: int) -> Integers:
            return (positions + by * np.arange(nodes)[:, None]).ravel()

        return Recipe(
            shifted(self.recipe.layout, self.sums),
            shifted(self.recipe.blocks, laid),
            shifted(self.recipe.chosen, laid),
        )


def _recipe(columns: int, width: int, of_column: Integers, of_bin: Integers, missing_left: Mask) -> Recipe:
    place = of_column * width + of_bin
    blocks = np.arange(columns) * width
    if not missing_left.any():
        return Recipe(np.zeros(0, dtype=np.int64), blocks, place)
    once = np.arange(columns * width)
    again = np.roll(once.reshape(columns, width), 1, axis=1).ravel()  # the bin of missing values comes first
    chosen = np.where(missing_left, columns * width + place + 1, place)
    return Recipe(np.concatenate((once, again)), np.concatenate((blocks, columns * width + blocks)), chosen)
