"""All tables and figures of the papers that can be reproduced."""

from typing import TYPE_CHECKING, Any, Final

from seepage.catalogs import Catalog, Entry
from seepage.papers.described import PAPERS, described

if TYPE_CHECKING:  # listing the tables must not import what runs them
    from seepage.papers.table import Table


def _place(folder: str, file: str, table: str) -> str:
    """Return where a table lives: ``figure7-published`` is called ``FIGURE7_PUBLISHED`` in its file."""
    return f"seepage.papers.{folder}.{file}:{table.upper().replace('-', '_')}"


TABLES: Final[Catalog["Table[Any]"]] = Catalog(
    kind="table",
    group="seepage.tables",
    own={
        f"{paper}/{table}": Entry(
            _place(folder, told["file"], table), f"{told['summary']} · {told['state'].partition(':')[0]}"
        )
        for paper, folder in PAPERS.items()
        for table, told in described(folder).items()
    },
)
