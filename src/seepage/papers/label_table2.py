"""Table 2 of paper 001: labels inferred from the adversary's own bottom model, and what is known without it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.papers.label_setting import (
    AVILA,
    BREAST_CANCER,
    CRITEO_BALANCED,
    CRITEO_HASHED,
    DIGITS,
    FASHION,
    PARTS,
    TEST,
    TRAIN,
    LabelData,
    Part,
    active,
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
from seepage.scores.metrics import AUC, F1, TOP1

DATASETS: Final = (BREAST_CANCER, DIGITS, FASHION, AVILA, CRITEO_HASHED, CRITEO_BALANCED)
MEASURES: Final[Mapping[str, str]] = {metric.name: metric.title for metric in (TOP1, F1, AUC)}


@dataclass(frozen=True)
class LabelTable:
    """Passive and active attack on training and test rows, beside simple attacks, a blind guess and a ceiling.

    Parameters
    ----------
    printed
        Data set and rows → heading of a column → what the paper prints.
    """

    title: str
    note: str
    page: str
    datasets: tuple[LabelData, ...]
    printed: Mapping[tuple[str, Part], Mapping[str, float]] = field(default_factory=dict)

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dataset.data for dataset in self.datasets)

    def lines(self, order: Order) -> list[Line]:
        """Run every data set; each has lines for its training and its test rows."""
        lines = []
        for dataset in self.datasets:
            if order.wants(dataset.data):
                findings = order.run(label_plan(dataset, order, basic_readings(dataset)), dataset.folder)
                lines += [line for part in PARTS for line in self._about(dataset, part, findings)]
        return lines

    def _about(self, dataset: LabelData, part: Part, findings: Sequence[Finding]) -> list[Line]:
        printed = self.printed.get((dataset.data, part), {})
        theirs = {heading: f"{value:.4f}" for heading, value in printed.items()}
        lines = [self._line(dataset, part, TOP1.name, theirs, {"whose": "paper"})] if printed else []
        for measure in MEASURES if dataset.all_measures else (TOP1.name,):
            readings = _readings(dataset.labels, measure, part)
            mine = [found for reading in readings for found in reading.among(findings)]
            cells = {reading.label: shown(reading, findings) for reading in readings}
            start = {"whose": "ours", "seeds": str(seeds_of(mine)), "remark": why_not(mine)}
            lines.append(self._line(dataset, part, measure, cells, start))
        return lines

    def _line(
        self, dataset: LabelData, part: Part, measure: str, cells: Mapping[str, str], start: Mapping[str, str]
    ) -> Line:
        filled = {
            "data": dataset.label,
            "labels per class": str(dataset.labels),
            "rows": part,
            "measure": MEASURES[measure],
            "whose": start["whose"],
            "seeds": start.get("seeds", ""),
            **{reading.label: cells.get(reading.label, "") for reading in _readings(dataset.labels, TOP1.name, part)},
            "remark": start.get("remark", ""),
        }
        return Line(tuple(filled), tuple(filled.values()))


def _readings(labels: int, measure: str, part: Part) -> list[Reading]:
    """Return all columns of a line; blind guess and ceiling are told as top-1 alone."""
    read = [of(make(labels), measure, part) for make in (passive, active, probe)]
    if measure != TOP1.name:
        return [*read, of(semi(labels), measure, part)]
    return [
        *read,
        of(active(labels), "top1_linear_probe", part, label="probe after active"),
        of(semi(labels), measure, part),
        of(passive(labels), "blind", part, label="blind"),
        of(passive(labels), "ceiling", part, label="ceiling"),
    ]


_CRITEO: Final[Mapping[Part, Mapping[str, float]]] = {
    TRAIN: {"passive": 0.6828, "active": 0.6879},
    TEST: {"passive": 0.6785, "active": 0.6830},
}

TABLE: Final = LabelTable(
    title="Table 2 of paper 001: labels inferred from the adversary's own bottom model",
    note=(
        "Mean and 95 % interval over seeds; rows with a known label are left out. linear probe: logistic regression on "
        "the bottom model's outputs; probe after active: the same after the malicious optimizer. semi-supervised: the "
        "same learner with an untrained bottom model. blind: the best guess without the federation. ceiling: own "
        "columns with all labels. Paper: Criteo with 80,000 balanced training rows; breast cancer from Appendix E."
    ),
    page="label-inference.md",
    datasets=DATASETS,
    printed={
        (BREAST_CANCER.data, TRAIN): {"passive": 0.8632},
        **{(ads.data, part): _CRITEO[part] for ads in (CRITEO_HASHED, CRITEO_BALANCED) for part in PARTS},
    },
)
