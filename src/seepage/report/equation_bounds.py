"""What counting equations says about guessed values before anything is guessed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from seepage.audit.findings import Finding
from seepage.audit.summary import SummaryLine
from seepage.report.wording import counted, error, settings, together

KEY: Final = "equality_solving"
"""Where a finding keeps its count of equations."""


@dataclass(frozen=True, kw_only=True)
class EquationBound:
    """The equations that predictions give one adversary, under one defense."""

    attack: str
    federation: str
    adversary: str
    defense: str
    unknown: str
    equations: str
    rank: str
    exact: bool
    bound: str
    measured: str


def equation_bounds(findings: Iterable[Finding]) -> list[EquationBound]:
    """Write one line for each attack that solves equations, on each federation under each defense."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        if finding.bounds.get(KEY):
            key = (finding.data, finding.federation, str(finding.model_settings), finding.adversary, finding.attack,
                   str(finding.attack_settings), finding.defense, str(finding.defense_settings))  # fmt: skip
            groups.setdefault(key, []).append(finding)
    return [_bound(group) for group in groups.values()]


def exact_recoveries(lines: Iterable[SummaryLine]) -> tuple[str, ...]:
    """Warn, in a sentence each, where the equations leave nothing open and no defense stands in between."""
    warnings = {}
    for line in lines:
        first = line.first
        count = first.bounds.get(KEY)
        if first.defense is None and count and count["exact"]:
            warnings[first.data, first.federation, first.adversary] = (
                f"Recovery is exact on {first.federation}: each prediction gives {together(first.adversary)} "
                f"{counted(int(count['equations']), 'equation')} for "
                f"{counted(int(count['unknown']), 'unknown column')}, and one solution fits."
            )
    return tuple(warnings.values())


def _bound(group: Sequence[Finding]) -> EquationBound:
    first = group[0]
    counts: list[dict[str, Any]] = [finding.bounds[KEY] for finding in group]
    written = settings(first.defense_settings)
    measured = [finding.value for finding in group if finding.value is not None]
    bounds = [float(count["mse_bound"]) for count in counts if count.get("mse_bound") is not None]
    return EquationBound(
        attack=first.attack,
        federation=first.federation,
        adversary=together(first.adversary),
        defense=(first.defense or "none") + (f" ({written})" if first.defense and written else ""),
        unknown=_range(count["unknown"] for count in counts),
        equations=_range(count["equations"] for count in counts),
        rank=_range(count["rank"] for count in counts),
        exact=all(count["exact"] for count in counts),
        bound=error(sum(bounds) / len(bounds) if bounds else None),
        measured=error(sum(measured) / len(measured) if measured else None),
    )


def _range(values: Iterable[float]) -> str:
    found = sorted({int(value) for value in values})
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"
