"""How many have a property: estimates beside the truth, and pictures of what they were read from."""

from dataclasses import dataclass

from seepage.audit.findings.survey import Survey
from seepage.report.fraction_errors import FractionErrors, fraction_errors
from seepage.report.norm_pictures import NormPictures, norm_pictures


@dataclass(frozen=True)
class Shares:
    """One table for each property, and pictures where there are some."""

    estimates: list[FractionErrors]
    pictures: list[NormPictures]


def shares(survey: Survey) -> Shares | None:
    """Tell of all properties; None where no share was estimated."""
    estimates = fraction_errors(survey)
    return Shares(estimates, norm_pictures(survey)) if estimates else None
