"""What looked wrong before or after training, to be read before any number."""

from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.survey import Survey
from seepage.report.purpose import purpose_sentences

SHOWN: Final = 3
"""How many remarks are told at once; the others are folded."""


@dataclass(frozen=True)
class Preflight:
    """Remarks about data and plan, then federations that are not worth having: a few, and the others."""

    first: tuple[str, ...]
    others: tuple[str, ...]


def preflight(survey: Survey) -> Preflight | None:
    """Gather what to know before reading on; None where nothing looked wrong."""
    told = (*survey.notes.remarks, *purpose_sentences(survey))
    return Preflight(told[:SHOWN], told[SHOWN:]) if told else None
