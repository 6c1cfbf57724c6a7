"""Names for the arrays that cross folders."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
"""Any NumPy array."""

Matrix: TypeAlias = NDArray[np.floating[Any]]
"""Rows by columns of real numbers."""

Rows: TypeAlias = NDArray[np.int64]
"""Row numbers in the aligned table that all parties share."""

NO_ROWS: Rows = np.zeros(0, dtype=np.int64)
"""What a message about no row in particular speaks of."""

Labels: TypeAlias = NDArray[np.int64]
"""One class index for each row."""

Counts: TypeAlias = NDArray[np.int64]
"""How many rows, by node and class or the like."""

Mask: TypeAlias = NDArray[np.bool_]
"""One yes or no for each row."""

LARGEST_VOCABULARY = 2**24
"""The largest whole number up to which 32-bit columns hold all."""


@dataclass(frozen=True, slots=True)
class ImageShape:
    """How the columns of a table of pictures are folded: channel first, then row, then column.

    >>> ImageShape(channels=1, height=28, width=14).pixels
    392
    """

    channels: int
    height: int
    width: int

    @property
    def pixels(self) -> int:
        """How many columns one picture takes."""
        return self.channels * self.height * self.width


@dataclass(frozen=True, slots=True)
class TextShape:
    """How the columns of a table of texts are read: each holds the number of one word, and 0 where there is none.

    Parameters
    ----------
    length
        How many words there is room for.
    vocabulary
        Word numbers lie below this. 32-bit columns hold up to 2²⁴ of them exactly.

    Examples
    --------
    >>> TextShape(length=0, vocabulary=100)
    Traceback (most recent call last):
        ...
    ValueError: length must be 1 or more, got 0
    """

    length: int
    vocabulary: int

    def __post_init__(self) -> None:
        if self.length < 1:
            raise ValueError(f"length must be 1 or more, got {self.length}")
        if not 2 <= self.vocabulary <= LARGEST_VOCABULARY:
            raise ValueError(f"vocabulary must lie between 2 and {LARGEST_VOCABULARY}, got {self.vocabulary}")
