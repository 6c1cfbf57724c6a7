"""Writing results: whole or not at all, readable by their owner only."""

import os
import tempfile
from pathlib import Path

from seepage.errors import BadOutput


def private_folder(path: Path, option: str = "--out") -> Path:
    """Make a folder that only its owner can read, or say why that cannot be."""
    if path.exists() and not path.is_dir():
        raise BadOutput(f"{path} is a file; results need a folder. Choose another place with {option}.")
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):  # being able to write is the only proof
            return path
    except OSError as error:
        raise BadOutput(f"Cannot write to {path} ({error.strerror}). Choose another place with {option}.") from error


def write_private(path: Path, content: str | bytes) -> Path:
    """Write under a temporary name, flush to disk, then rename: nobody ever reads half a file."""
    data = content.encode() if isinstance(content, str) else content
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except OSError as error:
        raise BadOutput(f"Cannot write {path} ({error.strerror}). Choose another place.") from error
    return path
