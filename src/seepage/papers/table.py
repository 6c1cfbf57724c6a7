"""A table or figure of a paper: what it is called, what it can be run on, and how its lines are made."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from seepage.errors import UnknownName

if TYPE_CHECKING:
    from seepage.papers.order import Order

Cells: TypeAlias = Mapping[str, str]
"""One line of a table: heading → what stands below it."""


class Dataset(Protocol):
    """A data set as a paper uses it."""

    @property
    def data(self) -> str:
        """Its name in the catalog."""
        ...


D = TypeVar("D", bound=Dataset)
Rows: TypeAlias = Callable[[Sequence[D], "Order"], Iterable[Cells]]
"""Runs what some data sets need and makes the lines about them, the paper's among them."""


def markdown_lines(lines: Sequence[Cells]) -> Iterator[str]:
    r"""Write lines as a table of a page.

    >>> print(*markdown_lines([{"data": "iris", "AIA*": "0.1"}]), sep="\n")
    | data | AIA\* |
    |---|---|
    | iris | 0.1 |
    """

    def row(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|').replace('*', chr(92) + '*') for cell in cells)} |"

    if lines:
        yield row(lines[0])
        yield "|" + "---|" * len(lines[0])
        yield from (row(line.values()) for line in lines)


@dataclass(frozen=True, kw_only=True)
class Table(Generic[D]):
    """A table or figure that can be run again.

    Parameters
    ----------
    title
        What the paper calls it.
    note
        How to read it.
    page
        The file in ``docs/results`` that discusses it.
    datasets
        All data sets it can be run on.
    rows
        How its lines are made; a line may leave out cells that stay empty.
    shown
        Data sets that are run unless one is named; by default all.

    Examples
    --------
    >>> from seepage.papers.order import Order
    >>> from seepage.papers.trees.tree_setting import AVILA, PHISHING
    >>> def rows(asked, order):
    ...     yield {"data": "all", "whose": "paper"}
    ...     yield from ({"data": one.data, "whose": "ours", "seeds": str(order.seeds)} for one in asked)
    >>> table = Table(title="", note="", page="", datasets=(AVILA, PHISHING), rows=rows, shown=(AVILA,))
    >>> for line in table.lines(Order(seeds=2)):
    ...     print(line)
    {'data': 'all', 'whose': 'paper', 'seeds': ''}
    {'data': 'avila', 'whose': 'ours', 'seeds': '2'}
    """

    title: str
    note: str
    page: str
    datasets: tuple[D, ...]
    rows: Rows[D]
    shown: tuple[D, ...] | None = None

    @classmethod
    def told(
        cls, told: Mapping[str, Any], *, datasets: tuple[D, ...], rows: Rows[D], shown: tuple[D, ...] | None = None
    ) -> "Table[D]":
        """Declare a table of which title, note and page are told elsewhere."""
        return cls(title=told["title"], note=told["note"], page=told["page"], datasets=datasets, rows=rows, shown=shown)

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dict.fromkeys(dataset.data for dataset in self.datasets))

    def lines(self, order: "Order") -> list[Cells]:
        """Run what was asked for and return the lines to print, all with the same headings."""
        if order.only is not None and order.only not in self.data:
            raise UnknownName("data set of this table", order.only, known=self.data)
        shown = self.datasets if self.shown is None else self.shown
        asked = [one for one in self.datasets if order.wants(one.data, by_default=one in shown)]
        rows = list(self.rows(asked, order))
        fullest: Cells = max(rows, key=len, default={})
        headings = dict.fromkeys(chain(fullest, *rows))
        return [{heading: row.get(heading, "") for heading in headings} for row in rows]
