"""Read a table from a CSV or Parquet file."""

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from seepage.data.arrow_columns import column_of, is_text
from seepage.data.arrow_files import open_table
from seepage.data.id_column import ids_of
from seepage.data.label_column import classes_of
from seepage.data.table import Column, Table
from seepage.data.written_numbers import Written, with_points
from seepage.errors import BadTable, Remark, UnknownName
from seepage.shapes import Labels, Mask

if TYPE_CHECKING:
    import pyarrow as pa

NAMES_SHOWN: Final = 5
FEW: Final = 20
"""Up to so many rows, words may well be different by chance."""


LARGEST: Final = float(np.finfo(np.float32).max)


class CommasInNumbers(Remark):
    """Numbers are written with commas; says how they were read."""


class ColumnLeftOut(UserWarning):
    """A column tells nothing, since all its cells are the same, or all different words; it is left out."""


def read_table(path: Path, *, label: str | None, id_column: str | None = None, impute: bool = False) -> Table:
    r"""Read a CSV or Parquet file, or say in a sentence what is wrong with it.

    Numbers, dates and times become numeric columns; words and yes/no values
    become categorical ones, whose empty cells are a category of their own.
    A column of words most of which are numbers counts as numeric, numbers with commas among them
    where the whole column leaves no doubt what a comma means (`written`).

    Parameters
    ----------
    label
        The column that holds the class of each row; None for the table of a party that holds no labels.
    id_column
        The column that names each row; row numbers stand in when there is none.
    impute
        Whether missing, infinite and unreadable numbers are kept as missing,
        to be filled by the encoding, instead of refused.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("age,job,y\n41,clerk,no\n17,baker,yes\n")
    ...     table = read_table(path, label="y")
    >>> table.column_names, table.classes, table["job"].levels
    (('age', 'job'), ('no', 'yes'), ('baker', 'clerk'))
    """
    return table_from_arrow(open_table(path), name=path.name, label=label, id_column=id_column, impute=impute)


def table_from_arrow(
    arrow: "pa.Table",
    *,
    name: str,
    label: str | None,
    id_column: str | None = None,
    drop: Collection[str] = (),
    impute: bool = False,
    words: Collection[str] = (),
    words_stay_words: bool = False,
    official_test: Mask | None = None,
) -> Table:
    """Type the columns of an Arrow table; `drop` names those that are no features, `words` those with words alone."""
    for wanted in (label, id_column):
        if wanted is not None and wanted not in arrow.column_names:
            raise UnknownName("column", wanted, known=arrow.column_names)
    if label is not None and label == id_column:
        raise BadTable(f"{name}: '{label}' is named both as label and as id; choose two different columns.")
    labels, classes = classes_of(label, arrow[label]) if label is not None else _no_labels(arrow.num_rows)
    others = [column for column in arrow.column_names if column not in {label, id_column, *drop}]
    read = {} if words_stay_words else _commas_read(arrow, [other for other in others if other not in words])
    remarks = [_told(name, other, found) for other, (_, found) in read.items() if found is not None]
    for remark in remarks:
        warnings.warn(CommasInNumbers(remark), stacklevel=3)
    columns = [
        column_of(
            other,
            read[other][0] if other in read else arrow[other],
            words_stay_words=words_stay_words or other in words,
        )
        for other in others
    ]
    _refuse_overflow(name, columns)
    if not impute:
        _refuse_missing_numbers(name, columns, arrow.num_rows)
    columns = _without_names(name, _without_constants(name, columns))
    if not columns:
        besides = "besides the label " if label is not None else ""
        raise BadTable(f"{name}: no column {besides}tells anything; a table needs at least one feature.")
    return Table(
        name=name,
        columns=tuple(_infinite_as_missing(column) for column in columns),
        labels=labels,
        classes=classes,
        ids=np.arange(arrow.num_rows) if id_column is None else ids_of(name, id_column, arrow[id_column]),
        official_test=official_test,
        label_name=label,
        remarks=tuple(remarks),
        left_out=tuple(other for other in others if other not in {column.name for column in columns}),
    )


def _no_labels(rows: int) -> tuple[Labels, tuple[str, ...]]:
    return np.zeros(rows, dtype=np.int64), ()


def _commas_read(arrow: "pa.Table", names: list[str]) -> dict[str, tuple["pa.ChunkedArray", Written | None]]:
    """Write the numbers of columns of words with decimal points where commas leave no doubt."""
    return {name: with_points(arrow[name]) for name in names if is_text(arrow[name].type)}


def _told(name: str, column: str, found: Written) -> str:
    """Say how commas were read, or that they were not, and what to do."""
    if found.comma is None:
        return (
            f"{name}: column '{column}' holds numbers such as '{found.example}', whose comma may stand for decimals or "
            "between thousands, so they are read as words. Write them with a decimal point and no other mark."
        )
    means = "a decimal comma" if found.comma == "decimal" else "a comma between thousands"
    return (
        f"{name}: column '{column}' holds numbers with {means}: '{found.example}' is read as "
        f"{found.plain(found.example)}. If these are no numbers, write them as words."
    )


def _refuse_overflow(name: str, columns: list[Column]) -> None:
    """Refuse finite numbers that 32 bits cannot hold, in which models compute."""
    for column in columns:
        if column.is_categorical or column.values.dtype.kind != "f":
            continue
        with np.errstate(invalid="ignore"):
            beyond = np.flatnonzero(np.isfinite(column.values) & (np.abs(column.values) > LARGEST))
        if len(beyond):
            raise BadTable(
                f"{name}: column '{column.name}' holds {column.values[beyond[0]]:.4g} in row {beyond[0] + 1}, more "
                f"than the 32 bits can hold in which models compute (about {LARGEST:.2g}). "
                "Mend the cell, give the column another unit, or take logarithms."
            )


def _without_constants(name: str, columns: list[Column]) -> list[Column]:
    constant = [column.name for column in columns if _tells_nothing(column)]
    if constant:
        warnings.warn(
            f"{name}: {_listed(constant)} the same value in every row and {'is' if len(constant) == 1 else 'are'} "
            "left out.",
            ColumnLeftOut,
            stacklevel=4,
        )
    return [column for column in columns if column.name not in set(constant)]


def _without_names(name: str, columns: list[Column]) -> list[Column]:
    """Leave out what names the rows and describes nothing."""
    names = [column.name for column in columns if len(column.values) > FEW and _names_rows(column)]
    if names:
        warnings.warn(
            f"{name}: {_listed(names)} a different word, or the row's number, in every row and "
            f"{'is' if len(names) == 1 else 'are'} "
            f"left out. If it names the rows, say so with --id {names[0]}.",
            ColumnLeftOut,
            stacklevel=4,
        )
    return [column for column in columns if column.name not in set(names)]


def _names_rows(column: Column) -> bool:
    if column.levels is not None:
        return len(column.levels) == len(column.values)
    return bool(np.all(np.diff(column.values.astype(np.float64)) == 1))


def _tells_nothing(column: Column) -> bool:
    # A category that is there or not there tells something; a number that is missing is filled with the only other one.
    partly_there = column.is_categorical and 0 < column.missing < len(column.values)
    return column.is_constant and not partly_there


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:NAMES_SHOWN])
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return f"column {shown} has" if len(names) == 1 else f"columns {shown}{more} have"


def _refuse_missing_numbers(name: str, columns: list[Column], rows: int) -> None:
    # A column without any value is left out as a constant one instead.
    holed = [column for column in columns if not column.is_categorical and 0 < column.missing < rows]
    if holed:
        first, further = holed[0], len(holed) - 1
        more = f"; {further} further column{'s have' if further > 1 else ' has'} such cells" if further else ""
        raise BadTable(
            f"{name}: column '{first.name}' has {first.missing} of {rows} cells that are missing, infinite or not "
            f"numbers{more}. Mend the data, fill such cells with the median of the training rows (--impute), "
            "or keep them for federations of trees (--keep-missing)."
        )


def _infinite_as_missing(column: Column) -> Column:
    if column.is_categorical or not np.isinf(column.values).any():
        return column
    return Column(column.name, np.where(np.isfinite(column.values), column.values, np.nan), limits=column.limits)
