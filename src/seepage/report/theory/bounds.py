"""What theory says about some of the guesses: three kinds of bounds with a table each, and all others as they are."""

from collections.abc import Iterable
from dataclasses import dataclass

from seepage.audit.findings.finding import Finding
from seepage.audit.findings.labels import UNDEFENDED, settings_text
from seepage.audit.findings.survey import Survey
from seepage.report.fact import Fact, distinct
from seepage.report.plain_table import PlainTable
from seepage.report.theory.distinguishing_bounds import KEY as DISTINGUISHING
from seepage.report.theory.distinguishing_bounds import distinguishing_bounds
from seepage.report.theory.equation_bounds import KEY as EQUATIONS
from seepage.report.theory.equation_bounds import equation_bounds
from seepage.report.theory.node_bounds import KEY as NODES
from seepage.report.theory.node_bounds import node_bounds


@dataclass(frozen=True)
class Bounds:
    """Nodes of trees, equations, worlds that differ in a share, and what has no table."""

    nodes: PlainTable
    equations: PlainTable
    worlds: PlainTable
    others: list[Fact]

    def __bool__(self) -> bool:
        return bool(self.nodes or self.equations or self.worlds or self.others)


def bounds(survey: Survey) -> Bounds:
    """Gather all bounds that findings carry."""
    return Bounds(
        node_bounds(survey.findings),
        equation_bounds(survey.findings),
        distinguishing_bounds(survey.tried),
        _others(survey.findings),
    )


def _others(findings: Iterable[Finding]) -> list[Fact]:
    """List the bounds without a table, seed by seed only where they differ."""
    texts: dict[str, list[str]] = {}
    for finding in findings:
        plain = {
            key: value
            for key, value in finding.bounds.items()
            if key not in {NODES, EQUATIONS, DISTINGUISHING} and not isinstance(value, (list, tuple))
        }
        if plain:
            name = f"{finding.attack} on {finding.federation}, defense {finding.defense or UNDEFENDED}"
            texts.setdefault(name, []).append(settings_text(plain))
    return [Fact(name=name, texts=distinct(written)) for name, written in texts.items()]
