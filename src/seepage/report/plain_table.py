"""A table of the page as a value: headings, and rows of texts."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

NUMBER: Final = "number"
"""The kind of a column whose cells are set flush right."""


@dataclass(frozen=True)
class Column:
    """A heading, a shorter one for narrow screens, and what is below it."""

    heading: str
    kind: str = ""
    brief: str = ""

    @property
    def label(self) -> str:
        """What stands beside a cell where there is no room for a heading above it."""
        return self.brief or self.heading


@dataclass(frozen=True)
class PlainTable:
    """Rows of cells, each of which opens with the row's name.

    The first line of a cell is what it says; further lines stand small below it, on the page as on the terminal.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]

    def __bool__(self) -> bool:
        return bool(self.rows)


def small(text: str, *below: str) -> str:
    """Put small print below a text, as far as there is any.

    >>> small("0.021", "own columns", "").splitlines()
    ['0.021', 'own columns']
    """
    return "\n".join((text, *filter(None, below)))


def table(columns: tuple[Column, ...], rows: Iterable[tuple[str, ...]]) -> PlainTable:
    """Gather rows below their headings."""
    return PlainTable(columns, tuple(rows))
