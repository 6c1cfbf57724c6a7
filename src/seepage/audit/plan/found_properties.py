"""Which properties to ask about where nobody names one: a common value of each column that has few."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.data import Column, Table
from seepage.shapes import Array, Mask

FEW: Final = 10
"""A column with more different values than this asks no question by itself."""
RAREST: Final = 0.05
"""Values that fewer rows have, or that all but so few have, leave too few people to learn from."""


@dataclass(frozen=True)
class FoundProperty:
    """A value of one column, and how many of the rows have it."""

    asked: str
    count: int
    rows: int

    @property
    def from_half(self) -> int:
        """How far the share is from one half, in half rows."""
        return abs(2 * self.count - self.rows)

    @property
    def is_common(self) -> bool:
        """Whether enough people have it, and enough have it not."""
        return RAREST * self.rows <= self.count <= (1 - RAREST) * self.rows


def found_properties(table: Table, most: int, held: Mapping[str, tuple[str, ...]] | None = None) -> tuple[str, ...]:
    """Return one property of each column with few values, at most so many, in the order of the table.

    Of a column it is the value whose share is nearest to one half, and of more columns than are asked about those
    whose shares are nearest to it, from each party in turn where it is known who holds what. Nothing
    but the counts of the table is looked at, and no outcome of any attack. Pictures and texts have no such columns.

    Parameters
    ----------
    held
        Party → columns; None where that differs from seed to seed.

    Examples
    --------
    >>> columns = (
    ...     Column("sex", np.array([0, 1, 1] * 4), ("f", "m")),
    ...     Column("age", np.arange(12.0)),
    ...     Column("cars", np.array([1.0, 1.0, 2.0, 1.0, 3.0, 3.0] * 2)),
    ... )
    >>> table = Table("tiny", columns, np.array([0, 1] * 6), ("no", "yes"), np.arange(12))
    >>> found_properties(table, 2, {"bank": ("age",), "shop": ("sex", "cars")})
    ('sex=f', 'cars=1')
    """
    if table.layout.whole is not None:
        return ()
    found = {column.name: one for column in table.columns if (one := _property_of(column, table.rows)) is not None}
    hands = [[name for name in names if name in found] for names in held.values()] if held else [list(found)]
    queues = [sorted(dict.fromkeys(hand), key=lambda name: found[name].from_half) for hand in hands]
    taken = list(dict.fromkeys(_in_turn(queues)))[:most]
    return tuple(found[column.name].asked for column in table.columns if column.name in taken)


def _in_turn(queues: list[list[str]]) -> Iterator[str]:
    for place in range(max(map(len, queues), default=0)):
        yield from (queue[place] for queue in queues if place < len(queue))


def _property_of(column: Column, rows: int) -> FoundProperty | None:
    """Return the value of a column whose share is nearest to one half; None where it has many, or none that fits."""
    values = column.values[column.values >= 0] if column.is_categorical else column.values[_finite(column.values)]
    levels, counts = np.unique(values, return_counts=True)
    if not 2 <= len(levels) <= FEW or column.name != column.name.strip() or "=" in column.name:
        return None
    spelled = [_spelled(column, level) for level in levels]
    fitting = [
        FoundProperty(f"{column.name}={text}", int(count), rows)
        for text, count in zip(spelled, counts, strict=True)
        if text and spelled.count(text) == 1
    ]
    return min((one for one in fitting if one.is_common), key=lambda one: one.from_half, default=None)


def _finite(values: Array) -> Mask:
    return np.isfinite(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=np.bool_)


def _spelled(column: Column, level: float) -> str:
    """Write a value so that it is found again; empty where it cannot be written."""
    if column.levels is not None:
        return column.levels[int(level)].strip()
    text = f"{float(level):.12g}"
    return text if float(text) == float(level) else ""
