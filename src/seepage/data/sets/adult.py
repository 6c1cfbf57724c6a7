"""Adult, or Census Income (UCI data set 2)."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from seepage.data.sets.described import source_of
from seepage.data.sets.stored import SPLIT, stored
from seepage.data.table import Table
from seepage.shapes import Array, Rows

if TYPE_CHECKING:
    import pyarrow as pa

PREPARED: Final = stored("adult")
TRAIN: Final = source_of("adult", "train")
TEST: Final = source_of("adult", "test")
WEIGHT: Final = "fnlwgt"
NUMBERS: Final = ("age", WEIGHT, "education-num", "capital-gain", "capital-loss", "hours-per-week")
COLUMNS: Final = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
)


def load_adult(*, impute: bool = False) -> Table:
    """Load 48 842 people, 14 features each; the label says who earns more than 50 000 dollars a year.

    The prepared file is used where there is one, otherwise the two original
    files, which are downloaded when they are not here. Both give the same
    table. Unknown values stay a category of their own, ``?``. The original's
    division into training and test rows is the official split.
    """
    if PREPARED.source.find() is not None:
        return PREPARED(impute=impute)
    return PREPARED.typed(read_originals(TRAIN.fetch(), TEST.fetch()), impute=impute)


def load_adult_distinct(*, impute: bool = False) -> Table:
    """Load the 44 355 people of adult who differ in something other than ``fnlwgt``; 13 features each.

    The weight that the census gave each person, ``fnlwgt``, is left out. Of rows
    that are then the same in all columns and the label the first is kept, within
    training and test rows each. Paper 000 has this many rows (its Table III).
    """
    adult = load_adult(impute=impute)
    columns = [column for column in adult.columns if column.name != WEIGHT]
    assert adult.official_test is not None
    told = np.stack([*(column.values for column in columns), adult.labels, adult.official_test], axis=1)
    kept = first_of_each(told)
    return replace(
        adult,
        name="adult_distinct",
        columns=tuple(replace(column, values=column.values[kept]) for column in columns),
        labels=adult.labels[kept],
        ids=adult.ids[kept],
        official_test=adult.official_test[kept],
    )


def first_of_each(rows: Array) -> Rows:
    """Return the places of rows that do not repeat an earlier one, in order.

    >>> first_of_each(np.array([[3, 1], [0, 2], [3, 1], [3, 2]]))
    array([0, 1, 3])
    """
    return np.sort(np.unique(rows, axis=0, return_index=True)[1])


def read_originals(train: Path, test: Path) -> "pa.Table":
    """Read the two text files of the original."""
    import pyarrow as pa

    rows = [*((*row, "train") for row in _rows_of(train)), *((*row, "test") for row in _rows_of(test))]
    table = pa.table(dict(zip((*COLUMNS, SPLIT), map(list, zip(*rows, strict=True)), strict=True)))
    for name in NUMBERS:
        place = table.column_names.index(name)
        table = table.set_column(place, name, table[name].cast("int64"))
    return table


def _rows_of(path: Path) -> Iterator[list[str]]:
    for line in path.read_text(encoding="ascii").splitlines():
        # The test file opens with a remark, and its labels end in a period.
        if line and not line.startswith("|"):
            yield line.removesuffix(".").split(", ")
