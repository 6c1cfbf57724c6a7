"""What single nodes of trees could tell at most, beside what was measured."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from seepage.audit.findings.circumstances import Circumstances, grouped
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
    bounded = (finding for finding in findings if finding.bounds.get(KEY))
    return table(COLUMNS, map(_row, grouped(bounded, lambda one: Circumstances.of(one).sight).values()))


def _row(group: Sequence[Finding]) -> tuple[str, ...]:
    first = group[0]
    by_seed: dict[int, dict[str, Any]] = {finding.seed: finding.bounds[KEY] for finding in reversed(group)}
    bounds = by_seed.values()
    return (
        first.federation,
        together(first.adversary),
        defense_label(first),
        f"{sum(bound['nodes'] for bound in bounds) / len(bounds):.0f}",
        f"{number(sum(bound['median'] for bound in bounds) / len(bounds))} nats",
        f"{number(max(bound['max'] for bound in bounds))} nats",
    )
