"""What every table and figure of a paper offers: a title, and lines that are made by running it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # listing the tables must not import what runs them
    from seepage.papers.order import Order


@dataclass(frozen=True)
class Line:
    """One line of a table: headings and cells, as text."""

    headings: tuple[str, ...]
    cells: tuple[str, ...]


class PaperTable(Protocol):
    """A table or figure that can be run again."""

    @property
    def title(self) -> str:
        """What the paper calls it."""
        ...

    @property
    def note(self) -> str:
        """How to read it."""
        ...

    @property
    def page(self) -> str:
        """The file in ``docs/results`` that discusses it."""
        ...

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets it can be run on, by name."""
        ...

    def lines(self, order: "Order") -> list[Line]:
        """Run what was asked for and return the lines to print."""
        ...
