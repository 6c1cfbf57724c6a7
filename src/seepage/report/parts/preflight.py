"""What looked wrong before or after training, to be read before any number."""

from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.survey import Survey
from seepage.report.purpose import purpose_sentence

SHOWN: Final = 3
"""How many remarks are told at once; the others are folded."""


@dataclass(frozen=True)
class Preflight:
    """Remarks about data and plan, then federations that learned nothing: a few, and the others."""

    first: tuple[str, ...]
    others: tuple[str, ...]


def preflight(survey: Survey) -> Preflight | None:
    """Gather what to know before reading on; None where nothing looked wrong.

    That a federation gains nothing stands in the first sentence of the page, and with its details.
    """
    told = (*survey.notes.remarks, *(purpose_sentence(one) for one in survey.purposes if one.useless))
    return Preflight(told[:SHOWN], told[SHOWN:]) if told else None
