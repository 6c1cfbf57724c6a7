"""Rows with ids, typed columns and labels."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seepage.errors import BadTable, UnknownName
from seepage.layouts import Layout, Meaning, Plain
from seepage.shapes import Array, Labels, Mask, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One attribute of every row.

    Parameters
    ----------
    values
        Numbers (missing ones are NaN), or indices into `levels` (missing: −1).
    levels
        The categories of a categorical column; None for a numeric one.
    limits
        The public range of a numeric column where one is known, such as 0 to
        255 for a pixel. Min-max scaling uses it.

    Examples
    --------
    >>> Column("married", np.array([0, 1, -1]), levels=("no", "yes")).missing
    1
    """

    name: str
    values: Array
    levels: tuple[str, ...] | None = None
    limits: tuple[float, float] | None = None

    @property
    def is_categorical(self) -> bool:
        """Whether the values stand for categories."""
        return self.levels is not None

    @property
    def missing(self) -> int:
        """How many cells hold no value (or, in a numeric column, an infinite one)."""
        if self.is_categorical:
            return int(np.count_nonzero(self.values < 0))
        if self.values.dtype.kind != "f":
            return 0
        return int(np.count_nonzero(~np.isfinite(self.values)))

    @property
    def is_constant(self) -> bool:
        """Whether all cells that hold a value hold the same one."""
        held = self.values[self.values >= 0] if self.is_categorical else self.values[np.isfinite(self.values)]
        return held.size == 0 or bool(np.all(held == held[0]))


@dataclass(frozen=True, eq=False)
class Table:
    """What is split between the parties.

    Parameters
    ----------
    labels
        Class index of every row; 0 throughout where there are no labels.
    classes
        Name of every class, in the order of the indices; none for the table of a party that holds no labels.
    ids
        Unique id of every row; row numbers when the source has none.
    official_test
        Which rows the source itself sets aside for testing, where it does.
    layout
        How the columns are to be read: each by itself, or as a whole.
    label_name
        What the label column was called, for messages.
    left_out
        Columns of the source that tell nothing about a row, for messages.
    remarks
        What whoever reads results should know about how the source was read.
    drawn_from
        How many rows the table has that these were drawn from; None where these are all.

    Examples
    --------
    >>> table = Table(
    ...     name="tiny",
    ...     columns=(Column("age", np.array([41.0, 17.0, 66.0])),),
    ...     labels=np.array([0, 1, 0]),
    ...     classes=("no", "yes"),
    ...     ids=np.array([7, 8, 9]),
    ... )
    >>> table.rows, table["age"].missing
    (3, 0)
    """

    name: str
    columns: tuple[Column, ...]
    labels: Labels
    classes: tuple[str, ...]
    ids: Array
    official_test: Mask | None = None
    layout: Layout = Plain()
    label_name: str | None = None
    left_out: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    drawn_from: int | None = None

    def __post_init__(self) -> None:
        names = self.column_names
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise BadTable(f"{self.name}: two columns are called '{twice}'; give each column a name of its own.")
        if not all(len(column.values) == len(self.labels) == len(self.ids) for column in self.columns):
            raise BadTable(f"{self.name}: columns, labels and ids differ in length.")
        if len(self.labels) == 0:
            raise BadTable(f"{self.name} has no rows; an audit needs at least some rows of two classes.")
        _refuse_duplicate_ids(self.name, self.ids)
        if self.classes and len(np.unique(self.labels)) < 2:
            only = self.classes[int(self.labels[0])]
            raise BadTable(
                f"{self.name}: every row has the label '{only}', but labels of two or more classes are needed. "
                "Choose another label column."
            )
        misfit = self.layout.misfit(len(self.columns))
        if misfit is not None:
            raise BadTable(f"{self.name}: {len(self.columns)} columns {misfit}.")

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.labels)

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """The columns in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def _position(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.column_names)}

    def places(self, names: Sequence[str]) -> Rows:
        """Return where some columns stand in the table."""
        return np.array([self._position[name] for name in names], dtype=np.int64)

    def __getitem__(self, name: str) -> Column:
        """Return the column called NAME."""
        if name in self.left_out:
            by_itself = self.layout.meaning is Meaning.NAMES
            why = "a text is read by itself" if by_itself else "it has one value in every row or names the rows"
            raise BadTable(f"{self.name}: column '{name}' was left out, because {why}. Give the parties other columns.")
        if name not in self._position:
            raise UnknownName("column", name, known=self.column_names)
        return self.columns[self._position[name]]

    @cached_property
    def checksum(self) -> str:
        """SHA-256 over names, values, labels and classes: the same data give the same digest."""
        digest = hashlib.sha256()
        for column in self.columns:
            digest.update(repr((column.name, column.levels, column.limits)).encode())
            digest.update(np.ascontiguousarray(column.values).tobytes())
        folded = self.layout if self.layout.meaning is Meaning.TOGETHER else None
        digest.update(repr((self.classes, folded)).encode())
        if self.layout.meaning is Meaning.NAMES:
            digest.update(repr(self.layout).encode())
        digest.update(self.labels.tobytes())
        if self.official_test is not None:
            digest.update(self.official_test.tobytes())
        return digest.hexdigest()


def _refuse_duplicate_ids(name: str, ids: Array) -> None:
    seen, counts = np.unique(ids, return_counts=True)
    repeated = int(np.count_nonzero(counts > 1))
    if repeated:
        rows = int(counts[counts > 1].sum())
        raise BadTable(
            f"{name}: {repeated} of the {len(seen)} ids occur more than once ({rows} rows in all), "
            "but every row needs an id of its own. Remove the repeated rows, or choose another id column."
        )
