"""What single nodes of trees could tell at most, beside what was measured."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from seepage.audit.findings.circumstances import Circumstances, Key
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.labels import defense_label
from seepage.report.plain_table import NUMBER, Column, PlainTable, table
from seepage.report.wording import together
from seepage.scores.digits import number

KEY: Final = "mutual_information"
"""Where a finding keeps the bounds on nodes; everything else in `bounds` is told as it is."""
COLUMNS: Final = (
    Column("Federation"), Column("Adversary"), Column("Defense"), Column("Nodes", NUMBER),
    Column("At most, median node", NUMBER, "Median node"), Column("At most, largest", NUMBER, "Largest"),
)  # fmt: skip


def node_bounds(findings: Iterable[Finding]) -> PlainTable:
    """Write one line for each federation and defense; all attacks on one training share its nodes."""
    groups: dict[Key, dict[int, Finding]] = {}
    for finding in findings:
        if finding.bounds.get(KEY):
            groups.setdefault(Circumstances.of(finding).sight, {}).setdefault(finding.seed, finding)
    return table(COLUMNS, (_row(list(group.values())) for group in groups.values()))


def _row(group: Sequence[Finding]) -> tuple[str, ...]:
    first = group[0]
    bounds: list[dict[str, Any]] = [finding.bounds[KEY] for finding in group]
    return (
        first.federation,
        together(first.adversary),
        defense_label(first),
        f"{sum(bound['nodes'] for bound in bounds) / len(bounds):.0f}",
        f"{number(sum(bound['median'] for bound in bounds) / len(bounds))} nats",
        f"{number(max(bound['max'] for bound in bounds))} nats",
    )
