"""What counting equations says about guessed values before anything is guessed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from seepage.audit.findings.circumstances import Circumstances, grouped
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.summary import SummaryLine
from seepage.report.plain_table import NUMBER, Column, PlainTable, table
from seepage.report.wording import together
from seepage.scores.digits import counted
from seepage.scores.metrics import MSE

KEY: Final = "equality_solving"
"""Where a finding keeps its count of equations."""


COLUMNS: Final = (
    Column("Attack"), Column("Federation"), Column("Adversary"), Column("Defense"),
    Column("Unknown columns", NUMBER, "Unknown"), Column("Equations", NUMBER), Column("Rank", NUMBER),
    Column("Recovery"), Column("MSE at most", NUMBER), Column("Measured", NUMBER),
)  # fmt: skip


def equation_bounds(findings: Iterable[Finding]) -> PlainTable:
    """Write one line for each attack that solves equations, on each federation under each defense."""
    counted = (finding for finding in findings if finding.bounds.get(KEY))
    return table(COLUMNS, map(_row, grouped(counted, lambda one: Circumstances.of(one).line).values()))


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


def _row(group: Sequence[Finding]) -> tuple[str, ...]:
    first = group[0]
    counts: list[dict[str, Any]] = [finding.bounds[KEY] for finding in group]
    measured = [finding.value for finding in group if finding.value is not None]
    bounds = [float(count["mse_bound"]) for count in counts if count.get("mse_bound") is not None]
    return (
        first.attack,
        first.federation,
        together(first.adversary),
        defense_label(first),
        *(_range(count[key] for count in counts) for key in ("unknown", "equations", "rank")),
        _recovery(counts),
        MSE.written(sum(bounds) / len(bounds) if bounds else None),
        MSE.written(sum(measured) / len(measured) if measured else None),
    )


def _range(values: Iterable[float]) -> str:
    found = sorted({int(value) for value in values})
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"
