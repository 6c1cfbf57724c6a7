"""What single nodes of trees could tell at most, beside what was measured."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from seepage.audit.findings.circumstances import Circumstances, Key
from seepage.audit.findings.finding import Finding
from seepage.report.wording import settings, together
from seepage.scores.digits import number

KEY: Final = "mutual_information"
"""Where a finding keeps the bounds on nodes; everything else in `bounds` is told as it is."""


@dataclass(frozen=True, kw_only=True)
class NodeBound:
    """The nodes that one adversary knew of, under one defense."""

    federation: str
    adversary: str
    defense: str
    nodes: str
    median: str
    largest: str


def node_bounds(findings: Iterable[Finding]) -> list[NodeBound]:
    """Write one line for each federation and defense; all attacks on one training share its nodes."""
    groups: dict[Key, dict[int, Finding]] = {}
    for finding in findings:
        if finding.bounds.get(KEY):
            groups.setdefault(Circumstances.of(finding).sight, {}).setdefault(finding.seed, finding)
    return [_bound(list(group.values())) for group in groups.values()]


def _bound(group: Sequence[Finding]) -> NodeBound:
    first = group[0]
    bounds: list[dict[str, Any]] = [finding.bounds[KEY] for finding in group]
    written = settings(first.defense_settings)
    return NodeBound(
        federation=first.federation,
        adversary=together(first.adversary),
        defense=(first.defense or "none") + (f" ({written})" if first.defense and written else ""),
        nodes=f"{sum(bound['nodes'] for bound in bounds) / len(bounds):.0f}",
        median=number(sum(bound["median"] for bound in bounds) / len(bounds)),
        largest=number(max(bound["max"] for bound in bounds)),
    )
