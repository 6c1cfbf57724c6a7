"""The data sets that are one prepared Parquet file each.

All are public; the files are repackaged, so they are recognized by their digest
and looked up in ``$SEEPAGE_DATA`` and in the cache.
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
    """How a prepared file is read: call it to get the table.

    Types are those of the file: words are categories even when they look like
    numbers, numbers are numbers even when they stand for categories, and ``?``
    is a category like any other.

    Parameters
    ----------
    drop
        Columns that are no features: row numbers, or what the label was made from.
    """

    source: Source
    label: str
    drop: tuple[str, ...] = ()

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
            drop=(*self.drop, SPLIT),
            impute=impute,
            words_stay_words=True,
            official_test=official,
        )


def prepared(name: str) -> StoredTable:
    """Return how the prepared file of a data set is read, as ``sets.toml`` says."""
    told = DESCRIBED[name]
    return StoredTable(source_of(name), told["label"], tuple(told.get("drop", ())))


PREPARED: Final = SimpleNamespace(
    **{name: prepared(name) for name, told in DESCRIBED.items() if {"label", "sha256"} <= told.keys()}
)
"""All of them, by name; some need rules of their own besides."""
