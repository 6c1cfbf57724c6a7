"""Figures 2 and 3 of paper 001: what the adversary's columns and the number of parties change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from seepage.audit.findings.finding import Finding
from seepage.papers.label_setting import (
    CRITEO_BALANCED,
    CRITEO_HASHED,
    DIGITS,
    FASHION,
    PARTS,
    LabelData,
    Part,
    active,
    label_plan,
    of,
    passive,
    probe,
    semi,
    shown,
    worth,
)
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import seeds_of, why_not


@dataclass(frozen=True)
class Dealt:
    """One way to deal the columns: what it is called in a line, and what is different in the partition."""

    cells: Mapping[str, str]
    partition: Mapping[str, Any]

    @property
    def folder(self) -> str:
        """Where its results go, below the folder of the data.

        >>> Dealt({"parties": "10", "shared": "25 %"}, {"parties": 10, "shared": 0.25}).folder
        'parties-10-shared-0.25'
        """
        return "-".join(f"{key.replace('_', '-')}-{value}" for key, value in self.partition.items())


@dataclass(frozen=True)
class PartitionFigure:
    """Both attacks and the linear probe on training and test rows, for every way to deal the columns.

    Parameters
    ----------
    dealt
        Data set → the ways in which its columns are dealt.
    shown
        Data sets that are run unless one is named.
    """

    title: str
    note: str
    page: str
    datasets: tuple[LabelData, ...]
    dealt: Mapping[str, tuple[Dealt, ...]]
    shown: tuple[LabelData, ...]
    seeds: int = 3

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dataset.data for dataset in self.datasets)

    def lines(self, order: Order) -> list[Line]:
        """Train for every way to deal the columns, and return a line for training rows and one for test rows."""
        lines = []
        for dataset in self.datasets:
            if order.wants(dataset.data, by_default=dataset in self.shown):
                for dealt in self.dealt[dataset.data]:
                    plan = label_plan(
                        dataset,
                        order,
                        [make(dataset.labels) for make in (passive, probe, semi, active)],
                        seeds=self.seeds,
                        partition=dealt.partition,
                    )
                    findings = order.run(plan, f"{dataset.folder}/{dealt.folder}")
                    lines += [self._line(dataset, dealt, part, findings) for part in PARTS]
        return lines

    def _line(self, dataset: LabelData, dealt: Dealt, part: Part, mine: Sequence[Finding]) -> Line:
        labels = dataset.labels
        readings = [
            *(of(make(labels), "top1", part) for make in (passive, active, probe)),
            of(active(labels), "top1_linear_probe", part, label="probe after active"),
            of(semi(labels), "top1", part),
            of(passive(labels), "blind", part, label="blind"),
            of(passive(labels), "ceiling", part, label="upper bound"),
        ]
        cells = {
            "data": dataset.label,
            **dealt.cells,
            "rows": part,
            "seeds": str(seeds_of(mine)),
            **{reading.label: shown(reading, mine) for reading in readings},
            "model": shown(worth(passive(labels)), mine),
            "remark": why_not(mine),
        }
        return Line(tuple(cells), tuple(cells.values()))


def _share(share: float) -> Dealt:
    return Dealt({"share of columns": f"{share:.1%}"}, {"adversary_share": share})


def _parties(parties: int, shared: float = 0.0) -> Dealt:
    partition: dict[str, Any] = {"parties": parties, **({"shared": shared} if shared else {})}
    return Dealt({"parties": str(parties), "overlap": f"{shared:.0%}"}, partition)


def _stripes(parties: int) -> Dealt:
    return Dealt({"parties": str(parties), "overlap": "0%"}, {"kind": "stripes", "parties": parties})


_NOTE: Final = (
    "Top-1, mean and 95 % interval over seeds; rows with a known label are left out. blind: the best guess without the "
    "federation; upper bound: own columns with all labels. model: test accuracy of the joint model. "
)
_SHARES: Final = tuple(_share(share) for share in (0.125, 0.25, 0.375, 0.5, 0.75))
_EVENLY: Final = tuple(_parties(parties) for parties in (2, 4, 6, 8, 10))
_OVERLAPPING: Final = tuple(_parties(10, shared) for shared in (0.25, 0.5, 1.0))

SHARES: Final = PartitionFigure(
    title="Figure 2 of paper 001: the adversary's share of the columns",
    note=_NOTE,
    page="label-inference.md",
    datasets=(CRITEO_BALANCED, CRITEO_HASHED),
    dealt={CRITEO_BALANCED.data: _SHARES, CRITEO_HASHED.data: _SHARES},
    shown=(CRITEO_BALANCED,),
)

PARTIES: Final = PartitionFigure(
    title="Figure 3 of paper 001: the number of parties",
    note=_NOTE + "overlap: the share of the other parties' columns that the adversary holds as well.",
    page="label-inference.md",
    datasets=(CRITEO_BALANCED, DIGITS, FASHION),
    dealt={
        CRITEO_BALANCED.data: (*_EVENLY, *_OVERLAPPING),
        DIGITS.data: tuple(_stripes(parties) for parties in (2, 4, 6, 8)),
        FASHION.data: tuple(_stripes(parties) for parties in (2, 4, 6, 8, 10)),
    },
    shown=(CRITEO_BALANCED, DIGITS),
)
