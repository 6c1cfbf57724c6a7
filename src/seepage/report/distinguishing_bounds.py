"""How well two worlds could be told apart at most, in plain words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from seepage.audit.findings.summary import SummaryLine
from seepage.report.wording import together
from seepage.scores.digits import NO_NUMBER, number

KEY: Final = "distinguishing"
"""Where a finding keeps the bound of Theorem 1 of paper 000."""


@dataclass(frozen=True, kw_only=True)
class DistinguishingBound:
    """What one attack could do at most about one property, under one defense."""

    asked: str
    attack: str
    federation: str
    adversary: str
    defense: str
    gap: str
    rows: str
    prior: str
    posterior: str
    accuracy: str
    says: str


def distinguishing_bounds(lines: Iterable[SummaryLine]) -> list[DistinguishingBound]:
    """Write one line for each attack that says how sure it ever is, under a defense only where that says something."""
    return [
        _bound(line, bounds)
        for line in lines
        if (bounds := [held[KEY] for held in line.bounds if held.get(KEY)])
        and line.first.property is not None
        and (line.first.defense is None or not any(bound.get("vacuous") for bound in bounds))
    ]


def _bound(line: SummaryLine, bounds: Sequence[Mapping[str, Any]]) -> DistinguishingBound:
    first = line.first
    surest = max(bounds, key=lambda bound: float(bound["posterior"]))
    reached = [float(bound["accuracy"]) for bound in bounds if bound.get("accuracy") is not None]
    return DistinguishingBound(
        asked=str(first.property),
        attack=first.attack,
        federation=first.federation,
        adversary=together(first.adversary),
        defense=line.defense_label,
        gap=f"{float(surest['gap']):.0%}",
        rows=f"{int(surest['rows']):,}",
        prior=number(float(surest["prior"])),
        posterior=number(float(surest["posterior"])),
        accuracy=number(max(reached)) if reached else NO_NUMBER,
        says=_says(bounds, reached),
    )


def _says(bounds: Sequence[Mapping[str, Any]], reached: Sequence[float]) -> str:
    """Say what the bound is worth: the weakest statement over seeds counts."""
    if not reached:
        return "does not apply: the classifier is never surer of a person than the share itself is"
    if any(bound.get("vacuous") for bound in bounds):
        return "vacuous: it allows practically everything"
    if len(reached) < len(bounds):
        return f"holds in {len(reached)} of {len(bounds)} seeds; in the others it does not apply"
    return f"the two worlds are told apart at most {max(reached):.0%} of the time"
