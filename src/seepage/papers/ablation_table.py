"""Table III of paper 002: which parts of the generative regression network matter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from seepage.audit.findings.finding import Finding
from seepage.papers.feature_setting import GRN, LR, feature_plan, published_grn
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import Reading, seeds_of, why_not


@dataclass(frozen=True)
class Case:
    """One line of the table: a change of settings, or a guess that is no attack.

    Parameters
    ----------
    number
        Of the case in the paper; None for a line of ours.
    changes
        Of the attack's settings.
    metric
        What to read of the whole attack instead of its error.
    """

    number: int | None
    label: str
    printed: float | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    metric: str | None = None

    def reading(self, settings: Mapping[str, Any]) -> Reading:
        """Return which number to read where the attack has these settings otherwise."""
        return Reading(self.label, GRN, {**settings, **self.changes}, self.metric)


@dataclass(frozen=True)
class AblationTable:
    """The attack without one of its parts at a time, on logistic regression, at one target share."""

    title: str
    note: str
    page: str
    cases: tuple[Case, ...]
    share: float
    data: tuple[str, ...]
    seeds: int = 10

    def lines(self, order: Order) -> list[Line]:
        """Run all cases, with the authors' settings and with ours, and return a line for each."""
        return [line for data in self.data if order.wants(data) for line in self._on(data, order)]

    def _on(self, data: str, order: Order) -> list[Line]:
        bases: tuple[Mapping[str, Any], ...] = (published_grn(data, self.share), {})
        readings = [[case.reading(settings) for case in self.cases] for settings in bases]
        found = [
            order.run(
                feature_plan(data, order, mine, share=self.share, seeds=self.seeds, models=(LR,)), f"{data}/{name}"
            )
            for mine, name in zip(readings, ("as-published", "defaults"), strict=True)
        ]
        return [
            self._line(data, case, [mine[place] for mine in readings], found) for place, case in enumerate(self.cases)
        ]

    def _line(self, data: str, case: Case, readings: Sequence[Reading], found: Sequence[Sequence[Finding]]) -> Line:
        cells = {
            "data": data,
            "case": str(case.number or ""),
            "what": case.label,
            "paper": "" if case.printed is None else f"{case.printed:.4f}",
            "ours, authors' settings": readings[0].of(found[0]).written(4),
            "ours, defaults": readings[1].of(found[1]).written(4),
            "seeds": str(min(map(seeds_of, found))),
            "remark": why_not([finding for findings in found for finding in findings]),
        }
        return Line(tuple(cells), tuple(cells.values()))


TABLE: Final = AblationTable(
    title="Table III of paper 002: parts of the generative regression network",
    note=(
        "MSE per feature on bank marketing, logistic regression, target share 40 %, mean±standard deviation over "
        "seeds. Which random guess case 6 is, the paper does not say; a uniform one is shown."
    ),
    page="feature-table3.md",
    cases=(
        Case(1, "noise alone as input", 0.1705, {"inputs": "noise"}),
        Case(2, "own columns alone as input", 0.1514, {"inputs": "own"}),
        Case(3, "no constraint on the variance", 0.1474, {"variance_weight": 0.0}),
        Case(4, "no generator", 0.2862, {"generator": False}),
        Case(5, "all of it", 0.1216),
        Case(6, "random guess", 0.2459, metric="mse_uniform"),
        Case(None, "constant ½", metric="mse_half"),
        Case(None, "column mean, which needs the truth", metric="mse_column_mean"),
    ),
    share=0.4,
    data=("bank_additional",),
)
