"""Fashion-MNIST (Zalando Research)."""

from pathlib import Path
from typing import Final

import numpy as np

from seepage.data.npz_files import open_arrays
from seepage.data.sets.pictures import picture_table
from seepage.data.sources import Source
from seepage.data.table import Table
from seepage.errors import DataUnavailable
from seepage.shapes import Array

HOME: Final = "https://github.com/zalandoresearch/fashion-mnist"
LICENSE: Final = "MIT"
CLASSES: Final = (
    *("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat"),
    *("Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"),
)
BYTE_ARRAY: Final = (0, 0, 8)
"""How an IDX file of bytes begins; the number of dimensions follows."""

PREPARED: Final = Source(
    name="fashion_mnist",
    file="fashion_mnist.npz",
    sha256="70834616e17b5fc542d3a08a9d370b0a1642fc560a4953780d95f66b8a392cc4",
    home=HOME,
    license=LICENSE,
)


def _original(file: str, sha256: str) -> Source:
    # Digests are of the unpacked files: they follow from the pixels, whichever way gzip packed them.
    url = f"https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/{file}.gz"
    return Source("fashion_mnist", f"fashion-{file}", sha256, HOME, LICENSE, url=url, packed=True)


ORIGINALS: Final = {
    "x_train": _original("train-images-idx3-ubyte", "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"),
    "y_train": _original("train-labels-idx1-ubyte", "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"),
    "x_test": _original("t10k-images-idx3-ubyte", "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"),
    "y_test": _original("t10k-labels-idx1-ubyte", "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"),
}


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
        limits=(0.0, 255.0),
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
