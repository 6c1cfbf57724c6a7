"""Figure 10 of paper 002: columns that correlate with what the adversary holds are inferred better."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.papers.feature_setting import GRN, LR, feature_plan
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import Reading

METRICS: Final = ("mse", "correlation_own", "correlation_prediction")


@dataclass(frozen=True)
class CorrelationFigure:
    """The error of every column beside its correlation with own columns and predictions."""

    title: str
    note: str
    page: str
    share: float
    data: tuple[str, ...]
    seeds: int = 5

    def lines(self, order: Order) -> list[Line]:
        """Run once for each seed and average each column over the seeds under which it was unknown."""
        return [line for data in self.data if order.wants(data) for line in self._on(data, order)]

    def _on(self, data: str, order: Order) -> list[Line]:
        reading = (Reading("GRN", GRN),)
        plan = feature_plan(data, order, reading, share=self.share, seeds=self.seeds, models=(LR,))
        findings = order.run(plan, f"{data}/{LR}/share-{self.share:g}")
        columns = {name: [_of(findings, metric, name) for metric in METRICS] for name in _names(findings)}
        ranked = sorted(columns.items(), key=lambda item: fmean(item[1][0]))
        return [
            Line(
                ("data", "column", "seeds", "MSE", "variance", "correlation, own columns", "correlation, predictions"),
                (
                    data,
                    name,
                    str(len(error)),
                    f"{fmean(error):.4f}",
                    f"{fmean(_of(findings, 'variance', name)):.4f}",
                    f"{fmean(own):.3f}",
                    f"{fmean(said):.3f}",
                ),
            )
            for name, (error, own, said) in ranked
        ]


def _names(findings: Sequence[Finding]) -> list[str]:
    found = [re.fullmatch(r"mse\[(.*)\]", key) for finding in findings for key in finding.other_metrics]
    return list(dict.fromkeys(match.group(1) for match in found if match))


def _of(findings: Sequence[Finding], metric: str, column: str) -> list[float]:
    key = f"{metric}[{column}]"
    return [finding.other_metrics[key] for finding in findings if key in finding.other_metrics]


FIGURE: Final = CorrelationFigure(
    title="Figure 10 of paper 002: error and correlations of every column",
    note=(
        "Generative regression on logistic regression, target share 40 %, columns from the best inferred on. "
        "Correlations are Eq. 16 and 17, averaged over the seeds under which the adversary lacked the column."
    ),
    page="feature-inference.md",
    share=0.4,
    data=("bank_additional",),
)
