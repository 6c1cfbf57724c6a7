"""Read arrays from an archive, never unpickling anything."""

import zlib
from lzma import LZMAError
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from seepage.errors import DataUnavailable
from seepage.shapes import Array


def open_arrays(path: Path, *names: str) -> list[Array]:
    """Return the arrays called so, or say that the file does not hold them."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            return [archive[name] for name in names]
    except (OSError, EOFError, ValueError, TypeError, KeyError, NotImplementedError, BadZipFile, LZMAError, zlib.error):
        raise DataUnavailable(
            f"'{path}' is not a readable .npz archive with arrays {', '.join(names)}; write or copy it again."
        ) from None
