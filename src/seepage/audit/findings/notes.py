"""What to know when reading results, beside the findings: remarks, and what a constant would be worth."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from seepage.errors import BadOutput
from seepage.files import write_private

NOTES_FILE: Final = "notes.json"
FORMAT: Final = 1
RECORDING: Final = "This is a recording: nothing was trained, and no defense was tried."
"""What is said first of an audit of a run that is over."""


@dataclass(frozen=True)
class Notes:
    """Remarks as they were told, and what a constant is worth.

    Parameters
    ----------
    remarks
        Sentences about data and plan, each once.
    constant
        What a model is worth that says the same of every row, by metric.
    reader
        The party that the page is for, where that is not the one with the labels.

    Examples
    --------
    >>> Notes(("Few rows train.",)).with_remarks(["Few rows train.", "A class is small."]).remarks
    ('Few rows train.', 'A class is small.')
    """

    remarks: tuple[str, ...] = ()
    constant: Mapping[str, float] = field(default_factory=dict)
    reader: str | None = None

    @property
    def of_a_recording(self) -> bool:
        """Whether a run that is over was audited: nothing can be asked for any more but when it is recorded."""
        return RECORDING in self.remarks

    def with_remarks(self, further: list[str]) -> "Notes":
        """Add remarks, each once."""
        return replace(self, remarks=tuple(dict.fromkeys((*self.remarks, *further))))

    def write(self, folder: Path) -> Path:
        """Store them beside the findings."""
        held = {"format": FORMAT, "remarks": list(self.remarks), "constant": dict(self.constant)}
        held |= {"reader": self.reader} if self.reader is not None else {}
        return write_private(folder / NOTES_FILE, json.dumps(held, ensure_ascii=False) + "\n")


NO_NOTES: Final = Notes()


def read_notes(folder: Path) -> Notes:
    """Return the notes of an audit; nothing where an older version wrote none."""
    path = folder / NOTES_FILE
    if not path.exists():
        return Notes()
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        if held["format"] > FORMAT:
            raise BadOutput(
                f"{path} has format {held['format']}, but this version reads up to {FORMAT}. Update Seepage."
            )
        remarks = tuple(str(remark) for remark in held["remarks"])
        constant = {str(name): float(value) for name, value in held["constant"].items()}
        return Notes(remarks, constant, str(held["reader"]) if "reader" in held else None)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadOutput(f"{path} cannot be read. Run the audit again, or remove the file.") from error
