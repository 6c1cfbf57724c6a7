"""Figure 5 of paper 001: defenses of gradients against both attacks, and what they cost.

As in the paper, a server holds the labels alone and two parties hold half a picture each: every gradient is defended.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.papers.label_setting import (
    DIGITS,
    FASHION_MLP,
    TEST,
    TRAIN,
    LabelData,
    active,
    label_plan,
    of,
    passive,
    shown,
    worth,
)
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import Reading, seeds_of, why_not
from seepage.papers.variants import UNDEFENDED, Variant

WITH_SERVER: Final = {"kind": "stripes", "parties": 3, "labels_only": True}
NOISE: Final = "noise"
TOP_K: Final = "top-k"
PPDL: Final = "PPDL"
PPDL_RAW: Final = "PPDL, authors' variant"
DISCRETE: Final = "discrete"
SIGNS: Final = "signs"


@dataclass(frozen=True)
class Family:
    """One defense along its setting, from weak to strong.

    >>> [variant.label for variant in Family("top-k", "top-k", "share", (0.75, 0.5)).variants]
    ['top-k 0.75', 'top-k 0.5']
    """

    label: str
    defense: str
    setting: str
    values: tuple[float | str, ...]
    others: tuple[tuple[str, str], ...] = ()

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The defense at each value of its setting."""
        return tuple(
            Variant(f"{self.label} {value}", self.defense, {self.setting: value, **dict(self.others)})
            for value in self.values
        )


FAMILIES: Final = (
    Family(NOISE, "laplace-noise", "scale", (1e-4, 1e-3, 1e-2, 1e-1)),
    Family(TOP_K, "top-k", "share", (0.75, 0.5, 0.25, 0.1)),
    Family(PPDL, "privacy-preserving-dl", "theta_u", (0.75, 0.5, 0.25, 0.1)),
    Family(PPDL_RAW, "privacy-preserving-dl", "theta_u", (0.75, 0.5, 0.25, 0.1), (("unselected", "raw"),)),
    Family(DISCRETE, "discrete-gradients", "intervals", (24, 18, 12, 6)),
    Family(SIGNS, "sign-gradients", "scale", ("mean", 1.0)),
)
VARIANTS: Final = (UNDEFENDED, *(variant for family in FAMILIES for variant in family.variants))


@dataclass(frozen=True)
class LabelDefenses:
    """Both attacks under every defense, beside what the joint model is worth in the same training.

    Parameters
    ----------
    variants
        The defenses, each at one setting.
    """

    title: str
    note: str
    page: str
    datasets: tuple[LabelData, ...]
    variants: tuple[Variant, ...]

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dataset.data for dataset in self.datasets)

    def lines(self, order: Order) -> list[Line]:
        """Train under every defense, honestly and with the malicious optimizer, and return a line for each."""
        lines = []
        for dataset in self.datasets:
            if order.wants(dataset.data):
                findings = self.found(dataset, order)
                lines += [_line(dataset, variant, variant.of(findings)) for variant in self.variants]
        return lines

    def found(self, dataset: LabelData, order: Order) -> list[Finding]:
        """Run one data set, or read what was run before."""
        readings = [passive(dataset.labels), active(dataset.labels)]
        plan = label_plan(dataset, order, readings, partition=WITH_SERVER, defenses=self.variants)
        return order.run(plan, dataset.folder)


def defended_readings(labels: int) -> list[Reading]:
    """Return the columns of a line: each attack, its linear probe, and the joint model in the same training."""
    read = []
    for attack, name in ((passive(labels), "passive"), (active(labels), "active")):
        honest = name == "passive"
        read += [
            Reading("model" if honest else "model, attacked", attack.attack, attack.settings, worth(attack).metric),
            of(attack, "top1", TRAIN),
            of(attack, "top1_linear_probe", TRAIN, label="linear probe" if honest else "probe after active"),
            of(attack, "top1", TEST, label=f"{name}, test"),
            of(attack, "top1_linear_probe", TEST, label="probe, test" if honest else "probe after active, test"),
        ]
    return [
        *read,
        of(passive(labels), "blind", TRAIN, label="blind"),
        of(passive(labels), "blind", TEST, label="blind, test"),
    ]


def _line(dataset: LabelData, variant: Variant, mine: Sequence[Finding]) -> Line:
    cells = {
        "data": dataset.label,
        "defense": variant.label,
        "seeds": str(seeds_of(mine)),
        **{reading.label: shown(reading, mine) for reading in defended_readings(dataset.labels)},
        "remark": why_not(mine),
    }
    return Line(tuple(cells), tuple(cells.values()))


FIGURE: Final = LabelDefenses(
    title="Figure 5 of paper 001: defenses of gradients against attacks on the own bottom model",
    note=(
        "Top-1 on training rows without a known label, or on test rows, mean and 95 % interval over seeds. model: test "
        "accuracy of the joint model; attacked: with the malicious optimizer in its training. blind reads no message: "
        "what is near it was not learned from the federation."
    ),
    page="label-defenses.md",
    datasets=(replace(DIGITS.trained(epochs=30), seeds=1), replace(FASHION_MLP, seeds=1)),
    variants=VARIANTS,
)
