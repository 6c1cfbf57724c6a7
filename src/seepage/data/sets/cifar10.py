"""CIFAR-10 (Krizhevsky, 2009)."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from seepage.data.sets.described import DESCRIBED
from seepage.data.sets.pictures import BYTES, open_arrays, picture_table
from seepage.data.sources import find_file, searched, wanted
from seepage.data.table import Table
from seepage.errors import DataUnavailable
from seepage.shapes import Array

_TOLD: Final = DESCRIBED["cifar10"]
HOME: Final[str] = _TOLD["home"]
CLASSES: Final = tuple(_TOLD["classes"])
SHA256: Final[Mapping[str, Sequence[str]]] = _TOLD["arrays"]
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
        limits=BYTES,
        official_test=np.arange(len(labels)) >= len(labels) - len(parts[-1][1]),
    )


def _part(file: str, *digests: str) -> tuple[Array, Array]:
    path = find_file(file)
    if path is None:
        raise DataUnavailable(
            f"Data set 'cifar10' is not here: no file '{file}' in {searched()}. Get the six official batches from "
            f"{HOME} and save each as an .npz file ({', '.join(SHA256)}) with arrays x (10000 × 3 × 32 × 32 bytes, "
            "channel first) and y (10000 bytes).",
            wanted(file, "an official batch with arrays x and y"),
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
