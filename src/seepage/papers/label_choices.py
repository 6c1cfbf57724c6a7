"""What each choice changes where text and code of paper 001 disagree."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.models.mixmatch import MixMatch
from seepage.papers.label_setting import (
    BREAST_CANCER,
    DIGITS,
    DIGITS_MLP,
    TEST,
    TRAIN,
    LabelData,
    active,
    interval,
    label_plan,
    of,
    passive,
    shown,
    worth,
)
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import Reading, seeds_of, why_not

_OURS: Final = {"every_epoch": True}
_PUBLISHED: Final = {"batch": 16, "iterations": 1024, "learning_rate": 2e-3, "every_epoch": True}
_HEADS_RATE: Final = MixMatch().learning_rate
_EPOCH: Final = "top1_epoch_"


def choices(labels: int, *, long: bool) -> list[Reading]:
    """Return both attacks with one thing changed at a time.

    Parameters
    ----------
    long
        Whether the schedule of the authors' code is tried, which takes ten times as long.
    """
    changed = [
        passive(labels, learner=_OURS),
        passive(labels, learner=_OURS, bottom="frozen"),
        passive(labels, learner=_OURS, bottom_learning_rate=_HEADS_RATE),
        *((passive(labels, learner=_PUBLISHED), passive(labels, learner=_PUBLISHED, bottom="frozen")) if long else ()),
        active(labels, learner=_OURS),
        active(labels, learner=_OURS, acceleration={"compounding": True}),
    ]
    names = [
        "passive: bottom model tuned slowly",
        "passive: bottom model frozen, as in the authors' code",
        "passive: bottom model tuned at the head's rate",
        *(("passive: published schedule", "passive: published schedule, frozen") if long else ()),
        "active: as the text means it",
        "active: scaling compounds, as in the authors' code",
    ]
    return [Reading(name, one.attack, one.settings) for name, one in zip(names, changed, strict=True)]


@dataclass(frozen=True)
class ChoiceTable:
    """Both attacks with one thing changed at a time: after the chosen epoch, the last, and the best by truth."""

    title: str
    note: str
    page: str
    datasets: tuple[LabelData, ...]
    long: tuple[LabelData, ...]

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dict.fromkeys(dataset.data for dataset in self.datasets))

    def lines(self, order: Order) -> list[Line]:
        """Run all choices on every data set and return a line for each."""
        lines = []
        for dataset in self.datasets:
            if order.wants(dataset.data):
                readings = choices(dataset.labels, long=dataset in self.long)
                findings = order.run(label_plan(dataset, order, readings), dataset.folder)
                lines += [_line(dataset, reading, findings) for reading in readings]
        return lines


def _line(dataset: LabelData, reading: Reading, findings: Sequence[Finding]) -> Line:
    mine = reading.among(findings)
    epochs = [after for after in map(after_epochs, mine) if after]  # a run that diverged has none
    cells = {
        "data": dataset.label,
        "choice": reading.label,
        "seeds": str(seeds_of(mine)),
        "chosen epoch": shown(of(reading, "top1", TRAIN), mine),
        "last epoch": interval([after[-1] for after in epochs]),
        "best epoch by truth": interval([max(after) for after in epochs]),
        "chosen epoch, test": shown(of(reading, "top1", TEST), mine),
        "AUC": shown(of(reading, "auc", TRAIN), mine),
        "linear probe": shown(of(reading, "top1_linear_probe", TRAIN), mine),
        "blind": shown(of(reading, "blind", TRAIN), mine),
        "model": shown(worth(reading), mine),
        "remark": why_not(mine),
    }
    return Line(tuple(cells), tuple(cells.values()))


def after_epochs(found: Finding) -> list[float]:
    """Return what each epoch reached on training rows, the last at the end; the authors report the best of them."""
    after = {
        int(name.removeprefix(_EPOCH)): value
        for name, value in found.other_metrics.items()
        if name.startswith(_EPOCH) and name.removeprefix(_EPOCH).isdigit()
    }
    return [after[number] for number in sorted(after)]


TABLE: Final = ChoiceTable(
    title="Paper 001: what each choice changes where text and code disagree",
    note=(
        "Top-1 on training rows without a known label (and on test rows), mean and 95 % interval over seeds. chosen "
        "epoch: the one with the least loss on the labelled rows. best epoch by truth: what nobody without the labels "
        "could have picked. linear probe: on the same bottom model. model: test accuracy of the joint model."
    ),
    page="label-inference.md",
    datasets=(BREAST_CANCER, DIGITS_MLP, DIGITS),
    long=(BREAST_CANCER, DIGITS_MLP),
)
