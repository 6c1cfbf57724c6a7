"""Tables whose columns are pixels."""

import numpy as np

from seepage.data.table import Column, Table
from seepage.shapes import Array, ImageShape, Labels, Mask


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
