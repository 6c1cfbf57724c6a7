"""Turn the label column of a file into class indices."""

from typing import TYPE_CHECKING, Final

import numpy as np

from seepage.data.arrow_columns import EXACT, MISSING_SPELLINGS, column_of, is_number
from seepage.errors import BadTable
from seepage.shapes import Array, Labels

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CLASSES: Final = 1000
FEW_CLASSES: Final = 20
"""So few distinct labels are classes even when a small table has hardly more rows."""


def classes_of(name: str, cells: "pa.ChunkedArray") -> tuple[Labels, tuple[str, ...]]:
    """Return the class index of every row and the name of every class.

    Classes are in the order of their numbers when all of them are numbers,
    otherwise in that of the alphabet.

    >>> import pyarrow as pa
    >>> classes_of("y", pa.chunked_array([[10, 9, 10]]))
    (array([1, 0, 1]), ('9', '10'))
    """
    column = column_of(name, cells, words_stay_words=True)
    if column.levels is None:
        return _from_numbers(name, column.values)
    labels = column.values
    if column.levels and all(map(_is_plain_number, column.levels)):
        return _from_numbers(name, np.array([*map(float, column.levels), np.nan])[labels])
    spelled_missing = [place for place, level in enumerate(column.levels) if level.strip() in MISSING_SPELLINGS]
    _refuse_missing(name, int(np.count_nonzero((labels < 0) | np.isin(labels, spelled_missing))), len(labels))
    _refuse_continuous(name, len(column.levels), len(labels))
    return labels, column.levels


def _is_plain_number(word: str) -> bool:
    """Whether a word is a number that no other word spells and that float64 holds exactly; ``01`` is a word."""
    if not is_number(word) or not abs(float(word)) < EXACT:
        return False
    return word == f"{float(word):g}" or word in {str(float(word)), str(int(float(word)))}


def _from_numbers(name: str, values: Array) -> tuple[Labels, tuple[str, ...]]:
    if np.any(np.abs(values[np.isfinite(values)]) >= EXACT):
        raise BadTable(
            f"Label column '{name}' holds numbers beyond {EXACT:.0f}, which cannot be told apart for certain. "
            "Write them as words, or number the classes anew."
        )
    _refuse_missing(name, int(np.count_nonzero(~np.isfinite(values))), len(values))
    distinct, labels = np.unique(values, return_inverse=True)
    _refuse_continuous(name, len(distinct), len(values), fractions=bool(np.any(distinct != np.floor(distinct))))
    return labels.astype(np.int64), tuple(str(int(value)) for value in distinct)


def _refuse_missing(name: str, missing: int, rows: int) -> None:
    if missing:
        raise BadTable(
            f"Label column '{name}' is missing in {missing} of {rows} rows, but every row needs a label. "
            "Remove those rows, or choose another label column."
        )


def _refuse_continuous(name: str, distinct: int, rows: int, *, fractions: bool = False) -> None:
    if fractions or distinct > MOST_CLASSES or (distinct > FEW_CLASSES and distinct * 2 > rows):
        raise BadTable(
            f"Label column '{name}' looks continuous ({distinct} distinct values in {rows} rows), "
            "but classes are needed. Choose another label column, or cut this one into classes first."
        )
