"""Turn one column of a file into a typed column of a table."""

from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from seepage.data.table import Column
from seepage.errors import BadTable
from seepage.shapes import Array

if TYPE_CHECKING:
    import pyarrow as pa

EXACT: Final = 2.0**53
"""From here on float64 no longer tells every whole number from the next."""
MISSING_SPELLINGS: Final = ("", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL")
"""Cells that stand for a missing number; in a column of words only an empty one does."""


def column_of(name: str, cells: "pa.ChunkedArray", *, words_stay_words: bool = False) -> Column:
    """Return numbers as numbers and words as sorted levels.

    Parameters
    ----------
    words_stay_words
        Whether text is always categorical. Otherwise a column of text most of
        whose distinct cells are numbers is numeric, and its other cells are NaN.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column_of("job", pa.chunked_array([["clerk", "", "baker"]])).values
    array([ 1, -1,  0])
    >>> column_of("age", pa.chunked_array([["41", "17", "?"]])).values
    array([41., 17., nan])
    """
    import pyarrow.types as kinds

    if kinds.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if kinds.is_boolean(cells.type):
        return _categorical(name, cells.cast("string"))
    if is_text(cells.type):
        numbers = None if words_stay_words else numbers_in(cells)
        return _categorical(name, cells) if numbers is None else Column(name, _told_apart(numbers, cells))
    numbers = _numbers(name, cells)
    return Column(name, numbers if words_stay_words else _told_apart(numbers, cells))


def _told_apart(numbers: Array, cells: "pa.ChunkedArray") -> Array:
    """Count whole numbers from the least one on where they differ, but are one number as float64 holds them.

    >>> import pyarrow as pa
    >>> column_of("id", pa.chunked_array([[10**18 + 3, 10**18 + 1]])).values
    array([2., 0.])
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    if not numbers.size or not abs(numbers[0]) >= EXACT or not np.all(numbers == numbers[0]):
        return numbers
    try:
        exact = pc.utf8_trim_whitespace(cells) if is_text(cells.type) else cells
        exact = exact if kinds.is_integer(exact.type) else exact.cast(pa.decimal128(38, 0))
    except pa.ArrowException:
        return numbers
    whole = [int(value) for value in exact.to_pylist()]
    least = min(whole)
    return np.array([float(value - least) for value in whole]) if least < max(whole) else numbers


def is_text(kind: "pa.DataType") -> bool:
    """Whether cells of this type are words."""
    import pyarrow.types as kinds

    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind))


def numbers_in(cells: "pa.ChunkedArray") -> Array | None:
    """Return text as numbers (what is none becomes NaN), or None when most distinct cells are words.

    Dates and times written the ISO way count as seconds.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(cells)
    told = pc.if_else(pc.is_in(trimmed, pa.array(MISSING_SPELLINGS, type=trimmed.type)), None, trimmed)
    if told.null_count == len(told):
        return None
    for steps in (("float64",), (pa.timestamp("s"), "int64", "float64")):
        try:
            converted = told
            for step in steps:
                converted = converted.cast(step)
        except pa.ArrowInvalid:
            continue
        return np.asarray(converted.to_numpy(), dtype=np.float64)
    return _mostly_numbers(told)


def _mostly_numbers(cells: "pa.ChunkedArray") -> Array | None:
    encoded = cells.combine_chunks().dictionary_encode()
    words = encoded.dictionary.to_pylist()
    readable = [is_number(word) for word in words]
    if sum(readable) * 2 <= len(words):
        return None
    numbers = [float(word) if reads else np.nan for word, reads in zip(words, readable, strict=True)]
    return np.asarray(np.array([*numbers, np.nan])[indices_of(encoded)])


def is_number(word: str) -> bool:
    """Whether a word reads as a number; Python's own extras such as ``1_000`` do not count."""
    if "_" in word:
        return False
    try:
        float(word)
    except ValueError:
        return False
    return True


def indices_of(encoded: Any) -> Array:
    """Return where each cell's value stands in the dictionary; a missing cell is −1, the last place."""
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(encoded.indices.cast("int64"), -1).to_numpy(zero_copy_only=False))


def _categorical(name: str, cells: "pa.ChunkedArray") -> Column:
    encoded = cells.cast("large_string").combine_chunks().dictionary_encode()
    words = encoded.dictionary.to_pylist()
    levels = tuple(sorted(word for word in words if word))
    place_of = {level: place for place, level in enumerate(levels)}
    # One entry more than there are words: index −1, a missing cell, reads the last one.
    lookup = np.array([*(place_of.get(word, -1) for word in words), -1], dtype=np.int64)
    return Column(name, lookup[indices_of(encoded)], levels=levels)


def _numbers(name: str, cells: "pa.ChunkedArray") -> Array:
    import pyarrow as pa
    import pyarrow.types as kinds

    if kinds.is_null(cells.type):
        return np.full(len(cells), np.nan)
    if kinds.is_nested(cells.type) or "binary" in str(cells.type):
        _refuse_type(name, cells.type)
    try:
        if kinds.is_temporal(cells.type):
            cells = _counted(cells)
        return np.asarray(cells.cast("float64", safe=False).to_numpy(), dtype=np.float64)
    except pa.ArrowException:
        _refuse_type(name, cells.type)


def _counted(cells: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Dates and times become the integers they are stored as."""
    import pyarrow.types as kinds

    narrow = kinds.is_date32(cells.type) or kinds.is_time32(cells.type)
    return cells.cast("int32" if narrow else "int64")


def _refuse_type(name: str, kind: object) -> NoReturn:
    raise BadTable(
        f"Column '{name}' holds values of type {str(kind).split('<')[0]}, but numbers or words are needed. "
        "Leave the column out of the file, or turn it into one value per row."
    )
