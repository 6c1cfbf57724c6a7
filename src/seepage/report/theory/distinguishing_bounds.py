"""How well two worlds could be told apart at most, in plain words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from seepage.audit.findings.finding import Finding
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.summary import SummaryLine
from seepage.report.plain_table import NUMBER, Column, PlainTable, table
from seepage.report.wording import together
from seepage.scores.digits import number

KEY: Final = "distinguishing"
"""Where a finding keeps the bound of Theorem 1 of paper 000."""


COLUMNS: Final = (
    Column("Property"), Column("Attack"), Column("Federation"), Column("Adversary"), Column("Defense"),
    Column("Rows", NUMBER), Column("Share", NUMBER), Column("Surest of a person", NUMBER, "Surest"),
    Column("At most", NUMBER), Column("Which says"),
)  # fmt: skip


def distinguishing_bounds(lines: Iterable[SummaryLine]) -> PlainTable:
    """Write one line for each attack that says how sure it ever is, under a defense only where that says something."""
    return table(
        COLUMNS,
        (
            _row(line.first, bounds)
            for line in lines
            if (bounds := [held[KEY] for held in line.bounds if held.get(KEY)])
            and line.first.property is not None
            and (line.first.defense is None or not any(bound.get("vacuous") for bound in bounds))
        ),
    )


def _row(first: Finding, bounds: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    surest = max(bounds, key=lambda bound: float(bound["posterior"]))
    reached = [float(bound["accuracy"]) for bound in bounds if bound.get("accuracy") is not None]
    return (
        str(first.property),
        first.attack,
        first.federation,
        together(first.adversary),
        defense_label(first),
        f"{int(surest['rows']):,}",
        number(float(surest["prior"])),
        number(float(surest["posterior"])),
        number(max(reached, default=None)),
        _says(bounds, reached),
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
