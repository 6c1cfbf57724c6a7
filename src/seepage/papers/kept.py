"""What took long, kept in a folder between calls that may be ended at any time, and shared by calls side by side."""

import fcntl
import hashlib
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from seepage.shapes import Array


class Late(Exception):
    """There is no time left to begin anything."""


@dataclass(frozen=True)
class Kept:
    """A folder of arrays, one file for each thing that was worked out.

    Parameters
    ----------
    folder
        Where files are; None keeps nothing.
    late
        From when on nothing is begun any more, in seconds of `time.monotonic`.

    Examples
    --------
    >>> NOWHERE.of(("two",), lambda: {"value": np.array(1 + 1)})["value"].item()
    2
    """

    folder: Path | None
    late: float = math.inf

    def of(self, told: tuple[object, ...], work_out: Callable[[], dict[str, Array]]) -> dict[str, Array]:
        """Return what was kept under a description, or work it out and keep it; of several processes one does."""
        if self.folder is None:
            self.begin()
            return work_out()
        path = self.folder / f"{hashlib.sha256(repr(told).encode()).hexdigest()[:24]}.npz"
        with alone(path):
            if path.is_file():
                with np.load(path, allow_pickle=False) as held:
                    return {name: held[name] for name in held.files}
            self.begin()
            made = work_out()
            begun = path.with_suffix(".begun")
            with begun.open("wb") as file:
                np.savez(file, **made)  # type: ignore[arg-type]
            os.replace(begun, path)  # a file is whole or not there
            return made

    def begin(self) -> None:
        """Begin something, unless it is late."""
        if time.monotonic() > self.late:
            raise Late


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Let no other process make the same file meanwhile; a process that dies lets go."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


NOWHERE: Final = Kept(None)
