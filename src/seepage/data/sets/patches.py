"""Breast Histopathology Images, of which a row holds several patches of one patient: paper 001, section 4.1."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Final

import numpy as np

from seepage.data.sets.described import DESCRIBED, source_of
from seepage.data.sets.pictures import BYTES, open_arrays, picture_table
from seepage.data.sources import Source
from seepage.data.table import Table
from seepage.errors import DataUnavailable
from seepage.shapes import Array, Labels, Rows


@dataclass(frozen=True)
class StoredPatches:
    """Patches in an archive that everyone has to bring along: call it to read it.

    The archive holds ``x`` (patches × channels × height × width bytes), ``y`` (class indices) and ``patient`` (whose
    patch it is).

    Parameters
    ----------
    beside
        How many patches a row has, from left to right: as many as there are to be parties. Stripes cut them apart.
    """

    source: Source
    shape: tuple[int, ...]
    beside: int

    def __call__(self, *, impute: bool = False) -> Table:
        """Lay patches of one patient side by side, or say where they come from."""
        del impute  # no pixel is missing
        path = self.source.fetch()
        patches, labels, patients = open_arrays(path, "x", "y", "patient")
        fitting = patches.shape[1:] == self.shape and len(patches) == len(labels) == len(patients)
        if not fitting or patches.dtype != np.uint8:
            raise DataUnavailable(f"'{path}' does not hold what is expected: {self.source.contents}. Write it again.")
        seen, indices = np.unique(labels, return_inverse=True)
        rows = dealt_in_turn(patients, indices, self.beside)
        return picture_table(
            self.source.name, side_by_side(patches[rows]), indices[rows[:, 0]], tuple(map(str, seen)), limits=BYTES
        )


def dealt_in_turn(patients: Array, labels: Labels, parties: int) -> Rows:
    """Return rows of patches, those of one patient with one label dealt to parties in turn; what is left is left out.

    >>> dealt_in_turn(np.array([7, 7, 7, 7, 7, 9, 9]), np.array([1, 0, 1, 1, 0, 1, 1]), parties=2)
    array([[0, 2],
           [1, 4],
           [5, 6]])
    """
    _, groups = np.unique(np.stack((np.unique(patients, return_inverse=True)[1], labels)), axis=1, return_inverse=True)
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    rows = [part[: len(part) - len(part) % parties].reshape(-1, parties) for part in parts]
    found = np.concatenate(rows)
    return found[np.argsort(found[:, 0], kind="stable")]


def side_by_side(patches: Array) -> Array:
    """Turn rows × patches × channels × height × width into pictures that show the patches from left to right.

    >>> side_by_side(np.arange(8).reshape(1, 2, 1, 2, 2))[0, 0]
    array([[0, 1, 4, 5],
           [2, 3, 6, 7]])
    """
    rows, beside, channels, height, width = patches.shape
    return patches.transpose(0, 2, 3, 1, 4).reshape(rows, channels, height, beside * width)


STORED: Final = SimpleNamespace(
    **{
        name: StoredPatches(source_of(name), tuple(told["patch"]), told["beside"])
        for name, told in DESCRIBED.items()
        if "patch" in told
    }
)
"""All of them, by name."""
