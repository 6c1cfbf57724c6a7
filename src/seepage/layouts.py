"""How columns are to be read: each by itself, as pixels of a picture, or as words of a text."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, ClassVar, Final, Protocol

import numpy as np

from seepage.shapes import Array, Rows

LARGEST_VOCABULARY: Final = 2**24
"""The largest whole number up to which 32-bit columns hold all."""


class Meaning(StrEnum):
    """What the numbers in columns mean, and so what may be computed with them."""

    APART = "apart"
    """Each column is an amount that says something by itself."""
    TOGETHER = "together"
    """Columns are amounts, but say little one by one."""
    NAMES = "names"
    """Numbers stand for things, as those of words do; more is no more of anything."""


class Layout(Protocol):
    """What tells tables, pictures and texts apart. A frozen dataclass that a table and each party's part carry."""

    meaning: ClassVar[Meaning]
    column: ClassVar[str]
    """What several columns are called."""
    slice: ClassVar[str]
    """What several pieces are called that columns are cut into, from first to last."""

    @property
    def whole(self) -> str | None:
        """What columns are that are to stay together; None where each may go its own way."""
        ...

    def misfit(self, columns: int) -> str | None:
        """Return what is wrong with so many columns, after their number or their owner; None where they fit."""
        ...

    def among(self, places: Rows) -> "Layout":
        """Return the layout of some of the columns, in the order given."""
        ...

    def slices(self, columns: int) -> Array:
        """Return the places of all columns, slices by columns of a slice."""
        ...


@dataclass(frozen=True, slots=True)
class Plain:
    """Columns of a table, each of which is read by itself.

    >>> Plain().among(np.array([2, 0])), len(Plain().slices(columns=3))
    (Plain(), 3)
    """

    meaning: ClassVar[Meaning] = Meaning.APART
    column: ClassVar[str] = "columns"
    slice: ClassVar[str] = "columns"
    whole: ClassVar[None] = None

    def misfit(self, columns: int) -> None:
        """Any number of them fits."""
        del columns

    def among(self, places: Rows) -> "Plain":
        """They stay what they are."""
        del places
        return self

    def slices(self, columns: int) -> Array:
        """Every column is one."""
        return np.arange(columns)[:, None]


@dataclass(frozen=True, slots=True)
class ImageShape:
    """Pixels of a picture: channel first, then row, then column. Slices are vertical.

    >>> digit = ImageShape(channels=1, height=28, width=14)
    >>> digit.pixels, digit.misfit(columns=100)
    (392, 'do not fold into ImageShape(channels=1, height=28, width=14)')
    >>> ImageShape(channels=1, height=2, width=3).slices(columns=6)
    array([[0, 3],
           [1, 4],
           [2, 5]])
    """

    meaning: ClassVar[Meaning] = Meaning.TOGETHER
    column: ClassVar[str] = "columns"
    slice: ClassVar[str] = "columns of pixels"
    whole: ClassVar[str] = "pixels of a picture"

    channels: int
    height: int
    width: int

    @property
    def pixels(self) -> int:
        """How many columns one picture takes."""
        return self.channels * self.height * self.width

    def misfit(self, columns: int) -> str | None:
        """There must be one for each pixel."""
        return None if columns == self.pixels else f"do not fold into {self}"

    def among(self, places: Rows) -> Layout:
        """They are a picture again where they form a rectangle, row by row; nothing lies next to a single pixel."""
        if len(places) < 2:
            return Plain()
        shape = (self.channels, self.height, self.width)
        axes = [np.arange(axis.min(), axis.max() + 1) for axis in np.unravel_index(places, shape)]
        filled = np.ravel_multi_index(np.meshgrid(*axes, indexing="ij"), shape).ravel()
        return ImageShape(*map(len, axes)) if np.array_equal(filled, places) else Plain()

    def slices(self, columns: int) -> Array:
        """Every column of pixels is one, from left to right, over all channels."""
        return np.arange(columns).reshape(-1, self.width).T

    def channel_of(self, places: Rows) -> Array:
        """Return the channel of some pixels, which are scaled alike."""
        return places // (self.height * self.width)


@dataclass(frozen=True, slots=True)
class TextShape:
    """Words of a text: each column holds the number of one word, and 0 where there is none.

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

    meaning: ClassVar[Meaning] = Meaning.NAMES
    column: ClassVar[str] = "words"
    slice: ClassVar[str] = "words"
    whole: ClassVar[str] = "words of a text"

    length: int
    vocabulary: int

    def __post_init__(self) -> None:
        if self.length < 1:
            raise ValueError(f"length must be 1 or more, got {self.length}")
        if not 2 <= self.vocabulary <= LARGEST_VOCABULARY:
            raise ValueError(f"vocabulary must lie between 2 and {LARGEST_VOCABULARY}, got {self.vocabulary}")

    def misfit(self, columns: int) -> str | None:
        """There must be one for each word."""
        return None if columns == self.length else f"are not the words of {self}"

    def among(self, places: Rows) -> Layout:
        """They are a shorter text."""
        return TextShape(len(places), self.vocabulary) if len(places) else Plain()

    def slices(self, columns: int) -> Array:
        """Every word is one."""
        return np.arange(columns)[:, None]


def layout_to_json(layout: Layout) -> dict[str, Any]:
    """Return a layout as a stored run holds it, by what columns are.

    >>> layout_to_json(TextShape(length=4, vocabulary=50))
    {'image': None, 'text': {'length': 4, 'vocabulary': 50}}
    """
    image = asdict(layout) if isinstance(layout, ImageShape) else None
    return {"image": image, **({"text": asdict(layout)} if isinstance(layout, TextShape) else {})}


def layout_from_json(values: Mapping[str, Any]) -> Layout:
    """Read the layout out of what a stored run says of a party."""
    if values["image"]:
        return ImageShape(**values["image"])
    return TextShape(**values["text"]) if values.get("text") else Plain()
