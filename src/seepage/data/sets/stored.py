"""The data sets that are one table in a file, looked up in ``$SEEPAGE_DATA`` and in the cache.

Most are public; their files are repackaged, so they are recognized by their digest.
Others of the papers everyone has to bring along: we may not pass them on, or found no copy.
"""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final

import numpy as np

from seepage.data.arrow_files import open_table
from seepage.data.readers import table_from_arrow
from seepage.data.sets.described import DESCRIBED, source_of
from seepage.data.sources import Source
from seepage.data.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

SPLIT: Final = "split"
"""The column that says ``train`` or ``test`` where the source has an official split."""


@dataclass(frozen=True)
class StoredTable:
    """How such a file is read: call it to get the table.

    Types of a prepared file are kept: words are categories even when they look like
    numbers, numbers are numbers even when they stand for categories, and ``?``
    is a category like any other. A file that somebody brings along may be text.

    Parameters
    ----------
    drop
        Columns that are no features: row numbers, or what the label was made from.
    id_column
        The column that names the rows; row numbers stand in when there is none.
    words
        Columns of a file that somebody brings along whose cells are words, even if they look like numbers.
    """

    source: Source
    label: str
    drop: tuple[str, ...] = ()
    id_column: str | None = None
    words: tuple[str, ...] = ()

    def __call__(self, *, impute: bool = False) -> Table:
        """Load the table."""
        return self.typed(open_table(self.source.fetch()), impute=impute)

    def typed(self, arrow: "pa.Table", *, impute: bool = False) -> Table:
        """Turn the content of the file, however it was come by, into the table."""
        official = np.asarray(arrow[SPLIT]) == "test" if SPLIT in arrow.column_names else None
        return table_from_arrow(
            arrow,
            name=self.source.name,
            label=self.label,
            id_column=self.id_column,
            drop=(*self.drop, SPLIT),
            impute=impute,
            words=self.words,
            words_stay_words=self.source.sha256 is not None,
            official_test=official,
        )


def stored(name: str) -> StoredTable:
    """Return how the file of a data set is read, as ``sets.toml`` says."""
    told = DESCRIBED[name]
    drop, words = tuple(told.get("drop", ())), tuple(told.get("words", ()))
    return StoredTable(source_of(name), told["label"], drop, told.get("id_column"), words)


STORED: Final = SimpleNamespace(
    **{name: stored(name) for name, told in DESCRIBED.items() if "label" in told and "text" not in told}
)
"""All of them, by name; some need rules of their own besides."""
