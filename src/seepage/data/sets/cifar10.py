"""CIFAR-10 (Krizhevsky, 2009)."""

import hashlib
from typing import Final

import numpy as np

from seepage.data.npz_files import open_arrays
from seepage.data.sets.pictures import picture_table
from seepage.data.sources import find_file, searched
from seepage.data.table import Table
from seepage.errors import DataUnavailable
from seepage.shapes import Array

HOME: Final = "https://www.cs.toronto.edu/~kriz/cifar.html"
CLASSES: Final = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")

SHA256: Final = {
    "cifar10_train_1.npz": (
        "a50e8b48728e1667d682a807155c375279d5ae321fb12242c02e3104a6bc8b21",
        "d829dbdf32167c9d7b3687cee66d92d80d46c441308b5aca0d11e8b69e27dac9",
    ),
    "cifar10_train_2.npz": (
        "0b825e5592c3b72ea18d6ec2ff5f5b19d33e41a75f5039054a9bb87be3cf69a0",
        "5d18f7371ed35ea9ade77952fe958b0660a45cd6c8b8a8970030f21612cfd7e3",
    ),
    "cifar10_train_3.npz": (
        "c6ee1dd4601a69ec085d8ebf53ee6441775491a6839a0a9ae8fa198e88a3a429",
        "32cf77b0ee2e790b1c4384d2d82e42dc1571b87e67f6da8f444b2725b2973f65",
    ),
    "cifar10_train_4.npz": (
        "1f6b6c799cff375a9f8fae2fac909d51ee09f38a6a60eebb9e8fec6f47ddc48f",
        "d2815e3f8f656272864920fc0edde56b04ec9cf81bf397c0dd3069f4aea51aeb",
    ),
    "cifar10_train_5.npz": (
        "58e3bbf713e28357476a351d3a05d056372f94c681d04ca9d62a076fdf2a643b",
        "2ddf3ab27d5d04409c94ce7b56849c243129c10de1058ae0bfe14c77e934800c",
    ),
    "cifar10_test.npz": (
        "177777c33ba79825320efa646ad04a94bdc3c80e4ebe3bd21724f8cdfd4b9d56",
        "cec8a24a1e92aa2ecaa0bbd3dbfa86bf6cd8759fbd209a832824c8cf0afca9d5",
    ),
}
"""File → digests of its arrays x and y; training files first."""


def load_cifar10(*, impute: bool = False) -> Table:
    """Load 60 000 color pictures of 32 × 32 pixels; the label is what a picture shows.

    The six official batches are expected as ``.npz`` files with arrays ``x``
    (10 000 × 3 × 32 × 32 bytes) and ``y``. Archives may be packed in any way:
    the arrays inside are checked, not the files. Pixels stay bytes.
    """
    del impute  # no pixel is missing
    parts = [_part(file, *digests) for file, digests in SHA256.items()]
    labels = np.concatenate([label for _, label in parts])
    return picture_table(
        "cifar10",
        np.concatenate([pixels for pixels, _ in parts]),
        labels,
        CLASSES,
        limits=(0.0, 255.0),
        official_test=np.arange(len(labels)) >= len(labels) - len(parts[-1][1]),
    )


def _part(file: str, *digests: str) -> tuple[Array, Array]:
    path = find_file(file)
    if path is None:
        raise DataUnavailable(
            f"Data set 'cifar10' is not here: no file '{file}' in {searched()}. Get the six official batches from "
            f"{HOME} and save each as an .npz file ({', '.join(SHA256)}) with arrays x (10000 × 3 × 32 × 32 bytes, "
            "channel first) and y (10000 bytes)."
        )
    pixels, labels = open_arrays(path, "x", "y")
    for array, expected in zip((pixels, labels), digests, strict=True):
        found = hashlib.sha256(array.tobytes()).hexdigest()
        if found != expected:
            raise DataUnavailable(
                f"'{path}' does not hold the pictures of the official batch: an array has SHA-256 {found}, "
                f"expected {expected}. Make the file again from {HOME}."
            )
    return pixels.reshape(-1, 3, 32, 32), labels
