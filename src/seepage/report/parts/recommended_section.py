"""The section about what to switch on to meet limits."""

from dataclasses import dataclass

from seepage.audit.findings.survey import Survey
from seepage.audit.recommending.recommendation import ArrangementTold
from seepage.report.recommended import sentences
from seepage.scores.digits import NO_NUMBER, number


@dataclass(frozen=True)
class Row:
    """One arrangement that was looked at: what leaks, what it is worth, and what it lacks."""

    place: str
    defense: str
    leaks: tuple[str, ...]
    utility: str
    missed: str
    seeds: int


@dataclass(frozen=True)
class Recommended:
    """Sentences, and all that was looked at, what is worth most first."""

    sentences: tuple[str, ...]
    assets: tuple[str, ...]
    rows: tuple[Row, ...]


def recommended(survey: Survey) -> Recommended | None:
    """Show what was recommended; None where nobody asked."""
    found = survey.recommendation
    if found is None:
        return None
    assets = tuple(found.limits)
    ordered = sorted(found.looked_at, key=lambda one: (bool(one.missed), -(one.utility.mean if one.utility else 0.0)))
    return Recommended(sentences(found), assets, tuple(_row(one, assets) for one in ordered))


def _row(one: ArrangementTold, assets: tuple[str, ...]) -> Row:
    reach = {leak.asset: number(leak.reach) for leak in one.leaks}
    above = [leak.asset for leak in one.leaks if leak.reach > leak.limit]
    unknown = [f"{asset} (no number)" for asset in assets if asset not in reach]
    others = [told for told in one.missed if not any(told.startswith((asset, "what leaks")) for asset in assets)]
    return Row(
        place=one.place,
        defense=one.called,
        leaks=tuple(reach.get(asset, NO_NUMBER) for asset in assets),
        utility=number(one.utility.mean if one.utility else None),
        missed=", ".join((*above, *unknown, *others)) or "nothing",
        seeds=len(one.seeds),
    )
