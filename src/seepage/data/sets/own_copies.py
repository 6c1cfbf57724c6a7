"""Data sets of the papers that everyone has to bring along: we may not pass them on, or found no copy.

No digest is known for these files, so what they hold is taken at its word.
"""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import numpy as np

from seepage.data.arrow_files import open_table
from seepage.data.readers import table_from_arrow
from seepage.data.sets.described import DESCRIBED
from seepage.data.sets.pictures import open_arrays, picture_table
from seepage.data.sets.stored import SPLIT
from seepage.data.sources import find_file, searched
from seepage.data.table import Table
from seepage.errors import DataUnavailable


@dataclass(frozen=True)
class TableToBring:
    """A table in a file that you bring along: call it to read it.

    Parameters
    ----------
    contents
        What the file should hold, as the sentence says that is shown without it.
    """

    name: str
    file: str
    label: str
    home: str
    contents: str
    id_column: str | None = None

    def __call__(self, *, impute: bool = False) -> Table:
        """Read the table, or say where it comes from."""
        arrow = open_table(_brought(self.name, self.file, self.home, self.contents))
        official = np.asarray(arrow[SPLIT]) == "test" if SPLIT in arrow.column_names else None
        return table_from_arrow(
            arrow,
            name=self.name,
            label=self.label,
            id_column=self.id_column,
            drop=(SPLIT,),
            impute=impute,
            official_test=official,
        )


@dataclass(frozen=True)
class PicturesToBring:
    """Pictures in an archive that you bring along: call it to read it.

    The archive holds ``x`` (rows × channels × height × width bytes), ``y``
    (class indices) and ``test`` (which rows are for testing).
    """

    name: str
    file: str
    home: str
    shape: tuple[int, int, int]

    def __call__(self, *, impute: bool = False) -> Table:
        """Read the pictures, or say where they come from."""
        del impute  # no pixel is missing
        folded = " × ".join(map(str, self.shape))
        contents = f"an archive with arrays x (rows × {folded} bytes), y (class indices) and test (true or false)"
        path = _brought(self.name, self.file, self.home, contents)
        pictures, labels, test = open_arrays(path, "x", "y", "test")
        if (
            pictures.shape[1:] != self.shape
            or pictures.dtype != np.uint8
            or not len(pictures) == len(labels) == len(test)
        ):
            raise DataUnavailable(f"'{path}' does not hold what is expected: {contents}. Write it again.")
        seen, indices = np.unique(labels, return_inverse=True)
        return picture_table(
            self.name,
            pictures,
            indices,
            tuple(map(str, seen)),
            limits=(0.0, 255.0),
            official_test=test.astype(np.bool_),
        )


def _brought(name: str, file: str, home: str, contents: str) -> Path:
    path = find_file(file)
    if path is None:
        raise DataUnavailable(
            f"Data set '{name}' is not here: no file '{file}' in {searched()}. It comes from {home} and is expected "
            f"in one of these folders as {contents}."
        )
    return path


def to_bring(name: str) -> TableToBring | PicturesToBring:
    """Return how a file that you bring along is read, as ``sets.toml`` says: pictures where it gives their shape."""
    told = {key: value for key, value in DESCRIBED[name].items() if key not in {"place", "summary"}}
    if "shape" in told:
        return PicturesToBring(name=name, **{**told, "shape": tuple(told["shape"])})
    return TableToBring(name=name, **told)


BROUGHT: Final = SimpleNamespace(
    **{name: to_bring(name) for name, told in DESCRIBED.items() if told["place"].startswith("own_copies:")}
)
"""All of them, by name."""
