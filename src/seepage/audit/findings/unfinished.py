"""An audit that was stopped: how far it came."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from seepage.errors import BadOutput
from seepage.files import write_private

UNFINISHED_FILE: Final = "unfinished.json"
"""Lies beside the findings of an audit that was stopped, until it is finished."""


@dataclass(frozen=True)
class Unfinished:
    """How many trainings were finished, of how many.

    >>> print(Unfinished(3, 12))
    3 of 12 trainings
    """

    finished: int
    planned: int

    def __str__(self) -> str:
        return f"{self.finished} of {self.planned} trainings"

    def write(self, folder: Path) -> Path:
        """Mark the findings of a folder as unfinished."""
        return write_private(folder / UNFINISHED_FILE, json.dumps(asdict(self)) + "\n")


def read_unfinished(folder: Path) -> Unfinished | None:
    """Return how far the audit in a folder came; None where it is finished."""
    path = folder / UNFINISHED_FILE
    if not path.exists():
        return None
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return Unfinished(int(held["finished"]), int(held["planned"]))
    except (OSError, RecursionError, UnicodeDecodeError, ValueError, KeyError, TypeError) as error:
        raise BadOutput(f"{path} cannot be read, so it is not known what is missing. Run the audit again.") from error
