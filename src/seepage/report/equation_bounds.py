"""What counting equations says about guessed values before anything is guessed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from seepage.audit.findings.circumstances import Circumstances, Key
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.summary import SummaryLine
from seepage.report.wording import counted, settings, together
from seepage.scores.metrics import MSE

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
    recovery: str
    bound: str
    measured: str


def equation_bounds(findings: Iterable[Finding]) -> list[EquationBound]:
    """Write one line for each attack that solves equations, on each federation under each defense."""
    groups: dict[Key, list[Finding]] = {}
    for finding in findings:
        if finding.bounds.get(KEY):
            groups.setdefault(Circumstances.of(finding).line, []).append(finding)
    return [_bound(group) for group in groups.values()]


def exact_recoveries(lines: Iterable[SummaryLine]) -> tuple[str, ...]:
    """Warn, in a sentence each, where the equations leave nothing open and no defense stands in between.

    Columns are dealt anew with each seed, so that it may be so in some seeds only.
    """
    warnings = []
    for line in lines:
        counts = [bounds[KEY] for bounds in line.bounds if bounds.get(KEY)]
        if line.first.defense is None and any(count["exact"] for count in counts):
            warnings.append(_warning(line.first, counts))
    return tuple(dict.fromkeys(warnings))  # attacks that solve the same equations say the same


def _warning(first: Finding, counts: Sequence[Mapping[str, Any]]) -> str:
    gives = (
        f"each prediction gives {together(first.adversary)} {_counted(counts, 'equations', 'equation')} "
        f"for {_counted(counts, 'unknown', 'unknown column')}"
    )
    if all(count["exact"] for count in counts):
        return f"Recovery is exact on {first.federation}: {gives}, and one solution fits."
    return f"Recovery is {_recovery(counts)} on {first.federation}, where one solution fits: {gives}."


def _recovery(counts: Sequence[Mapping[str, Any]]) -> str:
    """Say in how many seeds the equations have one solution."""
    exact = sum(bool(count["exact"]) for count in counts)
    if exact in {0, len(counts)}:
        return "exact" if exact else "not exact"
    return f"exact in {exact} of {len(counts)} seeds"


def _counted(counts: Sequence[Mapping[str, Any]], key: str, noun: str) -> str:
    found = {int(count[key]) for count in counts}
    return counted(found.pop(), noun) if len(found) == 1 else f"{_range(found)} {noun}s"


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
        recovery=_recovery(counts),
        bound=MSE.written(sum(bounds) / len(bounds) if bounds else None),
        measured=MSE.written(sum(measured) / len(measured) if measured else None),
    )


def _range(values: Iterable[float]) -> str:
    found = sorted({int(value) for value in values})
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"
