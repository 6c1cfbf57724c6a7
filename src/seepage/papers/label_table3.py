"""Table 3 of paper 001: the passive attack by the number of known labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.papers.label_setting import (
    DIGITS,
    FASHION,
    PARTS,
    TEST,
    TRAIN,
    LabelData,
    Part,
    basic_readings,
    label_plan,
    of,
    passive,
    probe,
    semi,
    shown,
)
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import Reading, seeds_of, why_not

Printed = Mapping[tuple[int, Part], tuple[float, float]]
"""Labels of each class, and rows → what the passive attack and semi-supervised learning reach on CIFAR-10."""


@dataclass(frozen=True)
class LabelCountTable:
    """What few labels are worth with and without the trained bottom model."""

    title: str
    note: str
    page: str
    datasets: tuple[LabelData, ...]
    printed: Printed

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dataset.data for dataset in self.datasets)

    def lines(self, order: Order) -> list[Line]:
        """Return the paper's lines, and ours for every data set."""
        lines = [
            _line("cifar10", count, part, "paper", {"passive": f"{attack:.4f}", "semi-supervised": f"{direct:.4f}"})
            for (count, part), (attack, direct) in self.printed.items()
        ]
        for dataset in self.datasets:
            if order.wants(dataset.data):
                findings = order.run(label_plan(dataset, order, basic_readings(dataset)), dataset.folder)
                lines += [self._ours(dataset, count, part, findings) for count in dataset.counts for part in PARTS]
        return lines

    def _ours(self, dataset: LabelData, count: int, part: Part, findings: Sequence[Finding]) -> Line:
        readings = _readings(count, part)
        mine = [found for reading in readings for found in reading.among(findings)]
        cells = {reading.label: shown(reading, findings) for reading in readings}
        return _line(dataset.label, count, part, "ours", {**cells, "remark": why_not(mine)}, str(seeds_of(mine)))


def _readings(count: int, part: Part) -> list[Reading]:
    return [
        *(of(make(count), "top1", part) for make in (passive, probe, semi)),
        of(passive(count), "blind_own_columns", part, label="own columns"),
        of(passive(count), "ceiling", part, label="ceiling"),
    ]


def _line(data: str, count: int, part: Part, whose: str, cells: Mapping[str, str], seeds: str = "") -> Line:
    filled = {
        "data": data,
        "labels per class": str(count),
        "rows": part,
        "whose": whose,
        "seeds": seeds,
        **{reading.label: cells.get(reading.label, "") for reading in _readings(count, part)},
        "remark": cells.get("remark", ""),
    }
    return Line(tuple(filled), tuple(filled.values()))


TABLE: Final = LabelCountTable(
    title="Table 3 of paper 001: the passive attack by the number of known labels",
    note=(
        "Top-1, mean and 95 % interval over seeds; rows with a known label are left out. semi-supervised: the same "
        "learner with an untrained bottom model; own columns: logistic regression on them with the same labels."
    ),
    page="label-inference.md",
    datasets=(DIGITS, FASHION),
    printed={
        (1, TRAIN): (0.6554, 0.1157),
        (1, TEST): (0.5235, 0.1138),
        (2, TRAIN): (0.7080, 0.1187),
        (2, TEST): (0.5542, 0.1166),
        (4, TRAIN): (0.8024, 0.1698),
        (4, TEST): (0.6299, 0.1683),
        (12, TRAIN): (0.8406, 0.1866),
        (12, TEST): (0.6305, 0.1846),
        (32, TRAIN): (0.8544, 0.3286),
        (32, TEST): (0.6392, 0.3218),
    },
)
