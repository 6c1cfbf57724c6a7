"""Figure 9 of paper 002: how many predictions the adversary has gathered."""

from dataclasses import dataclass
from typing import Final

from seepage.audit.plan.plan import DataPlan
from seepage.audit.stages.preparation import load_table
from seepage.papers.feature_setting import GRN, NEW_ROWS, NN, feature_plan
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import Reading, seeds_of, why_not


@dataclass(frozen=True)
class PredictionsFigure:
    """Generative regression by the number of predictions that it learns from.

    Parameters
    ----------
    parts
        Which parts of all released predictions.
    """

    title: str
    note: str
    page: str
    parts: tuple[float, ...]
    share: float
    data: tuple[str, ...]
    seeds: int = 3

    def lines(self, order: Order) -> list[Line]:
        """Run all numbers of predictions and return a line for each."""
        return [line for data in self.data if order.wants(data) for line in self._on(data, order)]

    def _on(self, data: str, order: Order) -> list[Line]:
        released = NEW_ROWS * load_table(DataPlan(name=data)).rows
        readings = [
            Reading(f"{count:,}", GRN, {"predictions": count})
            for count in (round(part * released) for part in self.parts)
        ]
        plan = feature_plan(data, order, readings, share=self.share, seeds=self.seeds, models=(NN,))
        findings = order.run(plan, f"{data}/predictions")
        half, mean = (Reading("", GRN, readings[0].settings, f"mse_{kind}") for kind in ("half", "column_mean"))
        return [
            Line(
                ("data", "predictions", "seeds", "GRN", "½", "column mean", "remark"),
                (
                    data,
                    reading.label,
                    str(seeds_of(findings)),
                    reading.of(findings).written(4),
                    half.of(findings).written(4),
                    mean.of(findings).written(4),
                    why_not(findings),
                ),
            )
            for reading in readings
        ]


FIGURE: Final = PredictionsFigure(
    title="Figure 9 of paper 002: generative regression on a network by the number of predictions",
    note=(
        "MSE per feature over all released rows, target share 30 %, mean±standard deviation over seeds. The paper "
        "trains on half of the rows and gathers predictions for 10 to 50 % of all; here those of a fifth are released."
    ),
    page="feature-inference.md",
    parts=(0.05, 0.2, 0.5, 0.95),
    share=0.3,
    data=("synthetic-1", "synthetic-2", "drive", "news"),
)
