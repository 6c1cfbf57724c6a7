"""A table of the page as a value: headings, and rows of texts."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

NUMBER: Final = "number"
"""The kind of a column whose cells are set flush right."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A name with what there is to say about it."""

    name: str
    texts: tuple[str, ...]


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Return different texts, without empty ones.

    >>> distinct(["forest", "", "boosting", "forest"])
    ('forest', 'boosting')
    """
    return tuple(text for text in dict.fromkeys(texts) if text)


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
class Bar:
    """A text above a bar, whose length is a percentage and whose color goes by a level."""

    text: str
    length: float
    level: str


Cell: TypeAlias = str | Bar
"""The first line of a text is what it says; further ones stand small below it, on the page as on the terminal."""


@dataclass(frozen=True)
class PlainTable:
    """Rows of cells, each of which opens with the row's name."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __bool__(self) -> bool:
        return bool(self.rows)


def small(text: str, *below: str) -> str:
    """Put small print below a text, as far as there is any.

    >>> small("0.021", "own columns", "").splitlines()
    ['0.021', 'own columns']
    """
    return "\n".join((text, *filter(None, below)))


def table(columns: tuple[Column, ...], rows: Iterable[tuple[Cell, ...]]) -> PlainTable:
    """Gather rows below their headings."""
    return PlainTable(columns, tuple(rows))
