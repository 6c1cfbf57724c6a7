"""Numbers with commas in them, as spreadsheets write them: read where a whole column can mean one thing only."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    import pyarrow as pa

Comma: TypeAlias = Literal["decimal", "thousands"]

_POWER: Final = r"([eE][-+]?\d+)?"
_READS: Final[dict[Comma, re.Pattern[str]]] = {
    "decimal": re.compile(rf"[-+]?(\d+|\d{{1,3}}(\.\d{{3}})+)(,\d+)?{_POWER}"),  # 7   0,126   1.234,5   1.234
    "thousands": re.compile(rf"[-+]?((\d+|\d{{1,3}}(,\d{{3}})+)(\.\d*)?|\.\d+){_POWER}"),  # 7   1,234   1,234.5
}
"""How a number is written where the comma is one or the other."""
_MAY_BE: Final = re.compile(rf"[-+]?[\d.,]*\d[\d.,]*{_POWER}")


@dataclass(frozen=True)
class Written:
    """How the numbers of a column are written, where commas are part of them.

    `comma` is None where some cells can be read in both ways and none tells which, or they contradict each other;
    `example` is such a cell, or any with a comma.
    """

    comma: Comma | None
    example: str

    def plain(self, word: str) -> str:
        """Write a number of such a column with a decimal point and nothing else; other words stay.

        >>> [Written("decimal", "0,5").plain(word) for word in ("0,126", "1.234,5", "none")]
        ['0.126', '1234.5', 'none']
        """
        if self.comma is None or _READS[self.comma].fullmatch(word) is None:
            return word
        return word.replace(".", "").replace(",", ".") if self.comma == "decimal" else word.replace(",", "")


def written(words: Iterable[str], *, likely: Comma | None = None) -> Written | None:
    """Say what the commas in a column of words mean; None where it holds none, or mostly words.

    A comma is a decimal one where some cell allows nothing else (``0,126``, ``1.234,5``), and stands between thousands
    where some cell allows nothing else (``1,234,567``, ``1,234.5``), or all look like ``1,234``, where it is but a
    question of scale. A column of ``1,234`` and ``999`` may be either, and stays unread unless it is known which is
    likely, as in a file whose cells are not separated by commas.

    >>> written(["0,126", "1,250", "3"]), written(["1,234", "1,234,567"])
    (Written(comma='decimal', example='0,126'), Written(comma='thousands', example='1,234'))
    >>> written(["1,234", "999"]), written(["1,234", "999"], likely="decimal").comma
    (Written(comma=None, example='1,234'), 'decimal')
    >>> written(["1.5", "2"]), written(["Doe, Jane", "1,5"]), written(["1,5", "1.5"])
    (None, None, Written(comma=None, example='1,5'))
    """
    distinct = list(dict.fromkeys(words))
    numbers = [word for word in distinct if _MAY_BE.fullmatch(word)]
    commas = [word for word in numbers if "," in word]
    if not commas or 2 * len(numbers) <= len(distinct):
        return None
    fits: dict[Comma, bool] = {comma: all(map(reads.fullmatch, numbers)) for comma, reads in _READS.items()}
    possible = [comma for comma, every in fits.items() if every]
    if len(possible) == 2:
        possible = [likely] if likely is not None else _of_both(numbers)
    return Written(possible[0] if possible else None, commas[0])


def _of_both(numbers: list[str]) -> list[Comma]:
    """Choose where every cell could be read in both ways: a lone 0 before a comma never counts thousands.

    Where each cell has a comma, both readings differ by a factor of 1000 alone, which scaling takes away again.
    """
    if any(re.match(r"[-+]?0,", word) for word in numbers):
        return ["decimal"]
    return ["thousands"] if all("," in word for word in numbers) else []


def with_points(cells: "pa.ChunkedArray", *, likely: Comma | None = None) -> tuple["pa.ChunkedArray", Written | None]:
    """Write numbers with decimal points where a column of words leaves no doubt, and say how they were written.

    >>> import pyarrow as pa
    >>> with_points(pa.chunked_array([["0,126", " 2,5", "7"]]))[0].to_pylist()
    ['0.126', '2.5', '7']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(cells) or not pc.any(pc.match_substring(cells, ",")).as_py():
        return cells, None
    trimmed = pc.utf8_trim_whitespace(cells)
    encoded = trimmed.combine_chunks().dictionary_encode()
    words = [word or "" for word in encoded.dictionary.to_pylist()]
    found = written(filter(None, words), likely=likely)
    if found is None or found.comma is None:
        return cells, found
    plain = pa.array([found.plain(word) for word in words], type=trimmed.type)
    return pa.chunked_array([plain.take(encoded.indices)]), found
