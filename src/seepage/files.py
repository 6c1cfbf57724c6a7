"""Writing results: whole or not at all, readable by their owner only."""

import os
import tempfile
from pathlib import Path

from seepage.errors import BadOutput


def check_place(path: Path, option: str = "--out") -> Path:
    """Say before any work whether a folder can be made there, and leave nothing behind."""
    try:
        there = next(one for one in (path, *path.absolute().parents) if one.exists())
        if there.is_dir():
            with tempfile.TemporaryFile(dir=there):  # being able to write is the only proof
                return path
    except OSError as error:
        raise BadOutput(f"Cannot write to {path} ({error.strerror}). Choose another place with {option}.") from error
    what = "results need a folder" if there == path else f"{path} cannot lie in it"
    raise BadOutput(f"{there} is a file; {what}. Choose another place with {option}.")


def check_file(path: Path, option: str = "--out") -> Path:
    """Say before any work whether a file can be written there, and leave nothing behind."""
    if path.is_dir():
        raise BadOutput(f"{path} is a folder, but a file is to be written there. Choose another place with {option}.")
    check_place(path.parent, option)
    return path


def private_folder(path: Path, option: str = "--out") -> Path:
    """Make a folder that only its owner can read, or say why that cannot be."""
    check_place(path, option)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadOutput(f"Cannot write to {path} ({error.strerror}). Choose another place with {option}.") from error
    return path


def write_private(path: Path, content: str | bytes) -> Path:
    """Write under a temporary name, flush to disk, then rename: nobody ever reads half a file.

    Whatever goes wrong, a full disk or Ctrl-C, the temporary file is gone afterwards.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise BadOutput(f"Cannot write {path} ({error.strerror}). Choose another place.") from error
    return path
