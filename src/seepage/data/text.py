r"""Turn texts into columns of word numbers.

No vocabulary is learned and none has to be agreed on: a word's number is a
fixed hash of it. The words of a short text are laid evenly over all columns, so
that a party that holds a piece of the columns holds that piece of every text,
however long it is and however many parties there are.
"""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.layouts import LARGEST_VOCABULARY
from seepage.shapes import Array

WORDS: Final = 64
"""How many words of a text are read by default."""

VOCABULARY: Final = 8192
"""How many numbers words are hashed to by default."""

_WORD: Final = re.compile(r"\w+(?:['’]\w+)*")


@dataclass(frozen=True)
class HashedWords:
    """Words in lower case, each numbered by a fixed hash.

    Two words may share a number. Punctuation is left out.

    Parameters
    ----------
    vocabulary
        Words are hashed to the numbers from 1 to `vocabulary` − 1.

    Examples
    --------
    >>> HashedWords(100).tokens("Rows, and rows!")
    [6, 76, 6]
    """

    vocabulary: int = VOCABULARY

    def __post_init__(self) -> None:
        if not 2 <= self.vocabulary <= LARGEST_VOCABULARY:
            raise ValueError(f"vocabulary must lie between 2 and {LARGEST_VOCABULARY}, got {self.vocabulary}")

    def tokens(self, text: str) -> list[int]:
        """Return the words of a text as numbers from 1 on."""
        return [zlib.crc32(word.encode()) % (self.vocabulary - 1) + 1 for word in _WORD.findall(text.lower())]


def laid_out(texts: Sequence[Sequence[int]], length: int) -> Array:
    """Lay the words of each text evenly over `length` columns; words beyond that many are left out.

    Word j of n stands in column ⌊j · length / n⌋, so that every piece of the
    columns holds the same share of every text, up to one word.

    >>> laid_out([[7, 8, 9], [4], [1, 2, 3, 4, 5, 6, 7]], 6)
    array([[7, 0, 8, 0, 9, 0],
           [4, 0, 0, 0, 0, 0],
           [1, 2, 3, 4, 5, 6]], dtype=int32)
    """
    columns = np.zeros((len(texts), length), dtype=np.int32)
    for row, text in zip(columns, texts, strict=True):
        words = text[:length]
        if words:
            row[np.arange(len(words)) * length // len(words)] = words
    return columns


def pushed_together(columns: Array) -> Array:
    """Move the words of every row to the front, in their order.

    >>> pushed_together(np.array([[0, 7, 0, 8], [1, 0, 0, 2]]))
    array([[7, 8, 0, 0],
           [1, 2, 0, 0]])
    """
    return np.take_along_axis(columns, np.argsort(columns == 0, axis=1, kind="stable"), axis=1)
