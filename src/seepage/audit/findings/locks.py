"""Who may write to the folder of an audit: one audit, or several slices of one."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from seepage.errors import BadOutput

DOOR: Final = ".door"
"""Held for a moment by whoever comes in, so that one at a time looks who is there."""
LOCK: Final = ".lock"
"""Held by whoever is at work: by one audit alone, or by slices together."""


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise BadOutput(f"Cannot write {path} ({error.strerror}). Choose another place.") from error
    try:
        yield handle
    finally:
        os.close(handle)  # which lets go of its lock, as the end of a process does


def _taken(handle: int, how: int, folder: Path) -> bool:
    """Take a lock, or say that somebody else has it."""
    try:
        fcntl.flock(handle, how)
    except BlockingIOError:
        return False
    except OSError as error:
        raise BadOutput(
            f"The file system of {folder} keeps no locks ({error.strerror}). Choose another place with --out."
        ) from error
    return True


@contextmanager
def alone_in(folder: Path, *, inside: Path) -> Iterator[None]:
    """Take a folder for one audit, whose locks lie inside; refuse where anybody is at work there."""
    with _opened(inside / LOCK) as lock:
        with _opened(inside / DOOR) as door:
            _taken(door, fcntl.LOCK_EX, folder)
            if not _taken(lock, fcntl.LOCK_EX | fcntl.LOCK_NB, folder):
                raise BadOutput(f"Another audit is writing to {folder}. Wait for it, or choose another --out.")
        yield


@contextmanager
def among_slices(folder: Path, part: str, number: int, *, inside: Path) -> Iterator[tuple[bool, ExitStack]]:
    """Take a place among the slices of one audit; refuse a slice that is at work already, and whole audits.

    Yields whether nobody else is there, and a door to be closed once that was made use of: until then nobody comes in.
    """
    with ExitStack() as held, ExitStack() as door:
        mine, lock = (
            held.enter_context(_opened(inside / f".slice-{number}")),
            held.enter_context(_opened(inside / LOCK)),
        )
        _taken(door.enter_context(_opened(inside / DOOR)), fcntl.LOCK_EX, folder)
        if not _taken(mine, fcntl.LOCK_EX | fcntl.LOCK_NB, folder):
            raise BadOutput(f"Slice {part} is at work in {folder} already. Wait for it, or choose another --out.")
        first = _taken(lock, fcntl.LOCK_EX | fcntl.LOCK_NB, folder)
        if not _taken(lock, fcntl.LOCK_SH | fcntl.LOCK_NB, folder):
            raise BadOutput(f"Another audit is writing to {folder}. Wait for it, or choose another --out.")
        yield first, door
