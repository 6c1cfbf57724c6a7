"""Fashion-MNIST (Zalando Research)."""

from pathlib import Path
from typing import Final

import numpy as np

from seepage.data.sets.described import DESCRIBED, source_of
from seepage.data.sets.pictures import BYTES, open_arrays, picture_table
from seepage.data.table import Table
from seepage.errors import DataUnavailable
from seepage.shapes import Array

BYTE_ARRAY: Final = (0, 0, 8)
"""How an IDX file of bytes begins; the number of dimensions follows."""

PREPARED: Final = source_of("fashion_mnist")
ORIGINALS: Final = {part: source_of("fashion_mnist", part) for part in DESCRIBED["fashion_mnist"]["originals"]}
CLASSES: Final = tuple(DESCRIBED["fashion_mnist"]["classes"])


def load_fashion_mnist(*, impute: bool = False) -> Table:
    """Load 70 000 gray pictures of 28 × 28 pixels; the label is the kind of garment.

    The prepared archive is used where there is one, otherwise the four original
    files, which are downloaded when they are not here. Pixels stay bytes.
    """
    del impute  # no pixel is missing
    prepared = PREPARED.find()
    if prepared is not None:
        arrays = dict(zip(ORIGINALS, open_arrays(prepared, *ORIGINALS), strict=True))
    else:
        arrays = {name: read_idx(source.fetch()) for name, source in ORIGINALS.items()}
    labels = np.concatenate([arrays["y_train"], arrays["y_test"]])
    return picture_table(
        PREPARED.name,
        np.concatenate([arrays["x_train"], arrays["x_test"]])[:, np.newaxis],
        labels,
        CLASSES,
        limits=BYTES,
        official_test=np.arange(len(labels)) >= len(arrays["y_train"]),
    )


def read_idx(path: Path) -> Array:
    """Read an array of bytes in the IDX format: a mark, the sizes, then the bytes."""
    content = path.read_bytes()
    dimensions = content[3] if len(content) > 4 else 0
    start = 4 + 4 * dimensions
    sizes = np.frombuffer(content[4:start], dtype=">u4").astype(int)
    if tuple(content[:3]) != BYTE_ARRAY or len(content) != start + sizes.prod():
        raise DataUnavailable(f"'{path}' is no IDX file of bytes, or was cut short; remove it and try again.")
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(sizes)
