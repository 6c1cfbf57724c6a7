"""Table 4 of paper 001: what the active attack costs the joint model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from seepage.papers.label_setting import (
    CRITEO_BALANCED,
    CRITEO_HASHED,
    LabelData,
    active,
    basic_readings,
    label_plan,
    passive,
    shown,
    shown_gain,
    worth,
)
from seepage.papers.label_table2 import DATASETS
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import seeds_of, why_not


@dataclass(frozen=True)
class CostTable:
    """Test accuracy of the joint model without an attack and under the malicious optimizer.

    Parameters
    ----------
    printed
        Data set → what the paper prints for both.
    """

    title: str
    note: str
    page: str
    datasets: tuple[LabelData, ...]
    printed: Mapping[str, tuple[float, float]]

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dataset.data for dataset in self.datasets)

    def lines(self, order: Order) -> list[Line]:
        """Run every data set, or read what Table 2 has left in the same folder."""
        return [line for dataset in self.datasets if order.wants(dataset.data) for line in self._on(dataset, order)]

    def _on(self, dataset: LabelData, order: Order) -> list[Line]:
        findings = order.run(label_plan(dataset, order, basic_readings(dataset)), dataset.folder)
        before, after = worth(passive(dataset.labels)), worth(active(dataset.labels))
        cells = {
            "no attack": shown(before, findings),
            "active attack": shown(after, findings),
            "change": shown_gain(before, after, findings),
            "seeds": str(seeds_of(findings)),
            "remark": why_not(findings),
        }
        lines = [_line(dataset, "ours", cells)]
        if dataset.data in self.printed:
            bare, attacked = self.printed[dataset.data]
            theirs = {"no attack": bare, "active attack": attacked, "change": attacked - bare}
            lines.insert(0, _line(dataset, "paper", {name: f"{value:.4f}" for name, value in theirs.items()}))
        return lines


def _line(dataset: LabelData, whose: str, cells: Mapping[str, str]) -> Line:
    headings = ("seeds", "no attack", "active attack", "change", "remark")
    filled = {"data": dataset.label, "whose": whose, **{heading: cells.get(heading, "") for heading in headings}}
    return Line(tuple(filled), tuple(filled.values()))


TABLE: Final = CostTable(
    title="Table 4 of paper 001: what the active attack costs the joint model",
    note=(
        "Test accuracy of the joint model, mean and 95 % interval over seeds; the change is taken seed by seed. "
        "Paper: Criteo with 80,000 balanced training rows."
    ),
    page="label-inference.md",
    datasets=DATASETS,
    printed={CRITEO_HASHED.data: (0.7132, 0.7128), CRITEO_BALANCED.data: (0.7132, 0.7128)},
)
