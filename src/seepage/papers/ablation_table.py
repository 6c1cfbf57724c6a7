"""Table III of paper 002: which parts of the generative regression network matter."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from seepage.papers.feature_setting import LR, feature_plan
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import Reading, seeds_of, why_not

ATTACK: Final = "generative-regression"


@dataclass(frozen=True)
class Case:
    """One line of the table.

    Parameters
    ----------
    settings
        Of the attack; None for the random guess, which is none.
    """

    number: int
    label: str
    printed: float
    settings: Mapping[str, Any] | None = field(default_factory=dict)

    @property
    def reading(self) -> Reading:
        """Which number to read."""
        if self.settings is None:
            return Reading(self.label, ATTACK, metric="mse_uniform")
        return Reading(self.label, ATTACK, self.settings)


@dataclass(frozen=True)
class AblationTable:
    """The attack without one of its parts at a time, on logistic regression, at one target share."""

    title: str
    note: str
    page: str
    cases: tuple[Case, ...]
    references: tuple[Reading, ...]
    share: float
    data: tuple[str, ...]
    seeds: int = 10

    def lines(self, order: Order) -> list[Line]:
        """Run all cases and return a line for each, then the references."""
        return [line for data in self.data if order.wants(data) for line in self._on(data, order)]

    def _on(self, data: str, order: Order) -> list[Line]:
        readings = [case.reading for case in self.cases]
        plan = feature_plan(data, order, readings, share=self.share, seeds=self.seeds, models=(LR,))
        findings = order.run(plan, f"{data}/ablation")
        shown = [(str(case.number), case.label, f"{case.printed:.4f}", case.reading) for case in self.cases]
        shown += [("", reading.label, "", reading) for reading in self.references]
        return [
            Line(
                ("data", "case", "what", "paper", "ours", "seeds", "remark"),
                (
                    data,
                    number,
                    label,
                    printed,
                    reading.of(findings).written(4),
                    str(seeds_of(findings)),
                    why_not(findings),
                ),
            )
            for number, label, printed, reading in shown
        ]


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
        Case(6, "random guess", 0.2459, None),
    ),
    references=(
        Reading("constant ½", ATTACK, metric="mse_half"),
        Reading("column mean (needs the truth)", ATTACK, metric="mse_column_mean"),
    ),
    share=0.4,
    data=("bank_additional",),
)
