"""Tables whose columns are pixels."""

import zlib
from dataclasses import dataclass
from lzma import LZMAError
from pathlib import Path
from types import SimpleNamespace
from typing import Final
from zipfile import BadZipFile

import numpy as np

from seepage.data.sets.described import DESCRIBED, source_of
from seepage.data.sources import Source
from seepage.data.table import Column, Table
from seepage.errors import DataUnavailable
from seepage.layouts import ImageShape
from seepage.shapes import Array, Labels, Mask

BYTES: Final = (0.0, 255.0)
"""The least and the largest value of a pixel that is a byte."""


def picture_table(
    name: str,
    pictures: Array,
    labels: Labels,
    classes: tuple[str, ...],
    *,
    limits: tuple[float, float],
    official_test: Mask | None = None,
) -> Table:
    """Fold pictures (rows × channels × height × width) into one column per pixel.

    Pixels keep their type, and all columns are views of one array in which each
    column is contiguous.

    >>> table = picture_table("two", np.arange(8).reshape(2, 1, 2, 2), np.arange(2), ("a", "b"), limits=(0, 7))
    >>> table.column_names, table["pixel_1_0"].values
    (('pixel_0_0', 'pixel_0_1', 'pixel_1_0', 'pixel_1_1'), array([2, 6]))
    """
    shape = ImageShape(*pictures.shape[1:])
    pixels = np.ascontiguousarray(pictures.reshape(len(pictures), -1).T)
    columns = tuple(
        Column(pixel, values, limits=limits) for pixel, values in zip(pixel_names(shape), pixels, strict=True)
    )
    return Table(name, columns, labels.astype(np.int64), classes, np.arange(len(labels)), official_test, shape)


def pixel_names(shape: ImageShape) -> list[str]:
    """Name pixels by row and column, and by channel where there are several."""
    places = np.ndindex(shape.channels, shape.height, shape.width)
    return ["pixel_" + "_".join(map(str, place if shape.channels > 1 else place[1:])) for place in places]


def open_arrays(path: Path, *names: str) -> list[Array]:
    """Return the arrays called so, or say that the file does not hold them."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            return [archive[name] for name in names]
    except (OSError, EOFError, ValueError, TypeError, KeyError, NotImplementedError, BadZipFile, LZMAError, zlib.error):
        raise DataUnavailable(
            f"'{path}' is not a readable .npz archive with arrays {', '.join(names)}; write or copy it again."
        ) from None


@dataclass(frozen=True)
class StoredPictures:
    """Pictures in an archive that everyone has to bring along: call it to read it.

    The archive holds ``x`` (rows × channels × height × width bytes), ``y``
    (class indices) and ``test`` (which rows are for testing).
    """

    source: Source
    shape: tuple[int, ...]

    def __call__(self, *, impute: bool = False) -> Table:
        """Read the pictures, or say where they come from."""
        del impute  # no pixel is missing
        path = self.source.fetch()
        pictures, labels, test = open_arrays(path, "x", "y", "test")
        fitting = pictures.shape[1:] == self.shape and len(pictures) == len(labels) == len(test)
        if not fitting or pictures.dtype != np.uint8:
            raise DataUnavailable(f"'{path}' does not hold what is expected: {self.source.contents}. Write it again.")
        seen, indices = np.unique(labels, return_inverse=True)
        classes, official = tuple(map(str, seen)), test.astype(np.bool_)
        return picture_table(self.source.name, pictures, indices, classes, limits=BYTES, official_test=official)


SHAPES: Final = {name: tuple(told["shape"]) for name, told in DESCRIBED.items() if "shape" in told}
STORED: Final = SimpleNamespace(**{name: StoredPictures(source_of(name), shape) for name, shape in SHAPES.items()})
"""All of them, by name."""
