"""Spread categories over columns of zeros and ones."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.data.table import Column
from seepage.errors import BadTable
from seepage.shapes import Array, Rows

MOST_LEVELS: Final = 5_000
MISSING: Final = "(missing)"


@dataclass(frozen=True, slots=True, eq=False)
class Indicators:
    """Which indicator column each level sets.

    Parameters
    ----------
    names
        The indicator columns.
    place
        For every level the indicator it sets, −1 for none. The last entry is
        for missing cells, whose index −1 reads it.
    """

    names: tuple[str, ...]
    place: Array

    def write(self, values: Array, block: Array) -> None:
        """Set the ones in a block of zeros."""
        places = self.place[values]
        rows = np.flatnonzero(places >= 0)
        block[rows, places[rows]] = 1.0


def one_hot(column: Column, train: Rows) -> Indicators:
    """One indicator for each level of the training rows; other levels set none.

    Missing cells set none either, unless training rows have some: then they are
    a level of their own.

    >>> one_hot(Column("job", np.array([1, 0, -1]), levels=("baker", "clerk")), np.array([0, 2])).names
    ('job=clerk', 'job=(missing)')
    """
    seen = training_levels(column, train)
    if len(seen) > MOST_LEVELS:
        raise BadTable(
            f"Column '{column.name}' has {len(seen)} categories in the training rows, more than one-hot encoding takes "
            f"({MOST_LEVELS}). Use --encoding hash or --encoding ordinal, or leave the column out."
        )
    assert column.levels is not None
    place = np.full(len(column.levels) + 1, -1)
    place[seen] = np.arange(len(seen))
    names = [f"{column.name}={column.levels[level]}" for level in seen]
    if np.any(column.values[train] < 0):
        place[-1] = len(names)
        names.append(f"{column.name}={MISSING}")
    return Indicators(tuple(names), place)


def hashed(column: Column, width: int) -> Indicators:
    """One indicator for each bucket that levels are hashed into; nothing is learned.

    MurmurHash3 gives the same buckets in every process, unlike Python's own hash.
    """
    from sklearn.utils import murmurhash3_32

    assert column.levels is not None
    place = [murmurhash3_32(f"{column.name}={level}", positive=True) % width for level in (*column.levels, MISSING)]
    return Indicators(tuple(f"{column.name}=bucket {bucket}" for bucket in range(width)), np.array(place))


def ordinal(column: Column, train: Rows) -> Column:
    """Return the categories as numbers: their place among the training levels, −1 for any other.

    >>> ordinal(Column("job", np.array([1, 0, -1]), levels=("baker", "clerk")), np.array([0, 2])).values
    array([ 0., -1., -1.])
    """
    seen = training_levels(column, train)
    assert column.levels is not None
    place = np.full(len(column.levels) + 1, -1.0)
    place[seen] = np.arange(len(seen))
    return Column(column.name, place[column.values])


def training_levels(column: Column, train: Rows) -> Array:
    """Return the indices of the levels that training rows hold, in the order of the alphabet."""
    assert column.levels is not None
    seen = np.unique(column.values[train])
    levels = column.levels
    return np.array(sorted((int(level) for level in seen if level >= 0), key=lambda level: levels[level]), dtype=int)
