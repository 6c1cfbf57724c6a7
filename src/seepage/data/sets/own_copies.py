"""Data sets of the papers that everyone has to bring along: we may not pass them on, or found no copy.

No digest is known for these files, so what they hold is taken at its word.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from seepage.data.arrow_files import open_table
from seepage.data.npz_files import open_arrays
from seepage.data.readers import table_from_arrow
from seepage.data.sets.pictures import picture_table
from seepage.data.sets.stored_table import SPLIT
from seepage.data.sources import find_file, searched
from seepage.data.table import Table
from seepage.errors import DataUnavailable


@dataclass(frozen=True)
class TableToBring:
    """A table in a file that you bring along: call it to read it.

    Parameters
    ----------
    contents
        What the file should hold, as the sentence says that is shown without it.
    """

    name: str
    file: str
    label: str
    home: str
    contents: str
    id_column: str | None = None

    def __call__(self, *, impute: bool = False) -> Table:
        """Read the table, or say where it comes from."""
        arrow = open_table(_brought(self.name, self.file, self.home, self.contents))
        official = np.asarray(arrow[SPLIT]) == "test" if SPLIT in arrow.column_names else None
        return table_from_arrow(
            arrow,
            name=self.name,
            label=self.label,
            id_column=self.id_column,
            drop=(SPLIT,),
            impute=impute,
            official_test=official,
        )


@dataclass(frozen=True)
class PicturesToBring:
    """Pictures in an archive that you bring along: call it to read it.

    The archive holds ``x`` (rows × channels × height × width bytes), ``y``
    (class indices) and ``test`` (which rows are for testing).
    """

    name: str
    file: str
    home: str
    shape: tuple[int, int, int]

    def __call__(self, *, impute: bool = False) -> Table:
        """Read the pictures, or say where they come from."""
        del impute  # no pixel is missing
        folded = " × ".join(map(str, self.shape))
        contents = f"an archive with arrays x (rows × {folded} bytes), y (class indices) and test (true or false)"
        path = _brought(self.name, self.file, self.home, contents)
        pictures, labels, test = open_arrays(path, "x", "y", "test")
        if (
            pictures.shape[1:] != self.shape
            or pictures.dtype != np.uint8
            or not len(pictures) == len(labels) == len(test)
        ):
            raise DataUnavailable(f"'{path}' does not hold what is expected: {contents}. Write it again.")
        seen, indices = np.unique(labels, return_inverse=True)
        return picture_table(
            self.name,
            pictures,
            indices,
            tuple(map(str, seen)),
            limits=(0.0, 255.0),
            official_test=test.astype(np.bool_),
        )


def _brought(name: str, file: str, home: str, contents: str) -> Path:
    path = find_file(file)
    if path is None:
        raise DataUnavailable(
            f"Data set '{name}' is not here: no file '{file}' in {searched()}. It comes from {home} and is expected "
            f"in one of these folders as {contents}."
        )
    return path


CREDIT_CARD: Final = TableToBring(
    name="credit_card",
    file="credit_card.csv",
    label="default payment next month",
    id_column="ID",
    home="https://archive.ics.uci.edu/dataset/350/default+of+credit+card+clients",
    contents="the spreadsheet saved as CSV, without the line above its column names",
)

OBESITY: Final = TableToBring(
    name="obesity",
    file="ObesityDataSet_raw_and_data_sinthetic.csv",
    label="NObeyesdad",
    home="https://archive.ics.uci.edu/dataset/544/estimation+of+obesity+levels+based+on+eating+habits+and+physical+condition",
    contents="the CSV file of that page, unchanged",
)

LAW_SCHOOL: Final = TableToBring(
    name="law_school",
    file="law_school.csv",
    label="admit",
    home="the Law School Admissions Council (the edition of 96 584 applicants that TabLeak uses)",
    contents="a CSV file with a column 'admit'",
)

TEXAS100: Final = TableToBring(
    name="texas100",
    file="texas100.parquet",
    label="label",
    home="https://github.com/xehartnort/Purchase100-Texas100-datasets",
    contents="a Parquet file with its 6 169 binary columns and a column 'label'",
)

YAHOO_ANSWERS: Final = TableToBring(
    name="yahoo_answers",
    file="yahoo_answers.parquet",
    label="label",
    home="https://www.kaggle.com/soumikrakshit/yahoo-answers-dataset",
    contents="a Parquet file of text embeddings, one number per column, with a column 'label' "
    "(and, if you like, 'split')",
)

NUS_WIDE: Final = TableToBring(
    name="nus_wide",
    file="nus_wide.parquet",
    label="label",
    home="NUS-WIDE (National University of Singapore, Chua et al., CIVR 2009)",
    contents="a Parquet file of its image features and tags, one number per column, with a column 'label' "
    "(and, if you like, 'split')",
)

BHI: Final = PicturesToBring(
    name="bhi",
    file="bhi.npz",
    home="https://www.kaggle.com/paultimothymooney/breast-histopathology-images",
    shape=(3, 50, 50),
)

CIFAR100: Final = PicturesToBring(
    name="cifar100",
    file="cifar100.npz",
    home="https://www.cs.toronto.edu/~kriz/cifar.html",
    shape=(3, 32, 32),
)

CINIC10: Final = PicturesToBring(
    name="cinic10",
    file="cinic10.npz",
    home="https://github.com/BayesWatch/cinic-10",
    shape=(3, 32, 32),
)
