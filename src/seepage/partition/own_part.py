"""What one party owns, and all parts of one table together."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from seepage.layouts import Layout, Plain
from seepage.shapes import Array, Labels, Mask, Matrix, Rows
from seepage.withholding import unless_withheld


@dataclass(frozen=True, eq=False)
class OwnPart:
    """Everything that one party brought along, and nothing of anybody else.

    Parameters
    ----------
    columns
        The attributes this party holds.
    features
        All rows of the table by this party's encoded columns.
    names
        The encoded columns, such as ``job=clerk``.
    attributes
        For each encoded column, the index in `columns` of its attribute.
    labels
        Set for the active party alone.
    layout
        How the encoded columns are to be read: each by itself, or as a whole.
    train
        The rows that take part in training, which alignment tells every party;
        None where that is not known.
    classes
        How many classes the labels have, which every party knows; None where
        that is not known.
    limits
        The least and the largest value of each encoded column, which a party
        tells the others so that a model can be understood; None where that is
        not known.
    properties
        For each property that is asked for and whose attribute this party holds,
        which of all rows have it.
    asked
        Whether properties are asked about at all, this party's or another's.
    """

    party: str
    columns: tuple[str, ...]
    features: Matrix
    names: tuple[str, ...]
    attributes: Array
    labels: Labels | None = field(default=None, repr=False)
    layout: Layout = Plain()
    train: Rows | None = None
    classes: int | None = None
    limits: Matrix | None = None
    properties: Mapping[str, Mask] = field(default_factory=dict)
    asked: bool = False

    if not TYPE_CHECKING:  # a type checker would take any attribute for granted
        __getattribute__ = unless_withheld

    @property
    def width(self) -> int:
        """How many encoded columns there are; only an active party may have none."""
        return int(self.features.shape[1])

    @property
    def rows(self) -> Rows:
        """The rows that take part in training."""
        if self.train is None:
            raise ValueError(f"the rows that '{self.party}' trains on must be known, got None")
        return self.train

    @property
    def public(self) -> "PublicColumns":
        """What the party tells others about its columns."""
        limits = np.zeros((0, 2)) if self.limits is None else self.limits
        return PublicColumns(self.names, limits, tuple(self.columns[place] for place in self.attributes))


@dataclass(frozen=True, eq=False)
class PublicColumns:
    """The names of a party's encoded columns, and the range of each; no value of any row.

    Parameters
    ----------
    limits
        Columns by least and largest value; empty where no range is known.
    attributes
        The attribute of every encoded column; empty where each is its own.
    """

    names: tuple[str, ...]
    limits: Matrix
    attributes: tuple[str, ...] = ()

    @property
    def ranges(self) -> Matrix:
        """The least value of every column and the width of its range, which is 1 where there is none."""
        low, high = self.limits.T if len(self.limits) else (np.zeros(len(self.names)), np.ones(len(self.names)))
        return np.stack((low, np.where(high > low, high - low, 1.0)), axis=1)

    @property
    def middle(self) -> Array:
        """What one would guess of every column, knowing nothing else: in units of its range.

        That is ½, but 1/k for each of the k indicators of one attribute, and 0
        where a range holds a single value.

        >>> names = ("age", "job=clerk", "job=nurse", "job=smith")
        >>> PublicColumns(names, np.tile([0.0, 1.0], (4, 1)), ("age", "job", "job", "job")).middle.round(2)
        array([0.5 , 0.33, 0.33, 0.33])
        """
        attributes = self.attributes or self.names
        middle = np.array([1 / max(2, attributes.count(name)) for name in attributes])
        still = self.limits[:, 1] <= self.limits[:, 0] if len(self.limits) else np.zeros(len(self.names), dtype=bool)
        return np.where(still, 0.0, middle)


@dataclass(frozen=True, eq=False)
class PartitionedTable:
    """A table after it was split: by columns between parties, by rows into training and test."""

    name: str
    parts: Mapping[str, OwnPart]
    active: str
    classes: tuple[str, ...]
    test: Rows

    @property
    def train(self) -> Rows:
        """The rows that take part in training, which every party knows."""
        return self.parts[self.active].rows

    def training_on(self, rows: Rows) -> "PartitionedTable":
        """Return the same table with other rows to train on."""
        return replace(self, parts={party: replace(part, train=rows.copy()) for party, part in self.parts.items()})

    @property
    def labels(self) -> Labels:
        """The truth, which only the active party holds."""
        labels = self.parts[self.active].labels
        assert labels is not None
        return labels

    @property
    def parties(self) -> tuple[str, ...]:
        """All parties, the active one first."""
        return (self.active, *(name for name in self.parts if name != self.active))

    @property
    def passive(self) -> tuple[str, ...]:
        """All parties but the active one."""
        return self.parties[1:]

    @property
    def alone(self) -> "PartitionedTable":
        """The active party's part by itself, as if nobody else took part."""
        return replace(self, parts={self.active: self.parts[self.active]})

    def holders(self, name: str) -> tuple[str, ...]:
        """Return the parties that know of each row whether it has a property."""
        return tuple(party for party in self.parties if name in self.parts[party].properties)
