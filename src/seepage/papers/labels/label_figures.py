"""Figures 2, 3 and 5 of paper 001, and what each choice changes where its text and its code disagree.

In Figure 5 a server holds the labels alone and two parties hold half a picture each, as in the paper: every gradient is
defended.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from seepage.audit.findings.finding import Finding
from seepage.learners.completion.mixmatch import MixMatch
from seepage.papers.labels.label_brought_along import BHI, CIFAR10
from seepage.papers.labels.label_setting import (
    BREAST_CANCER,
    CRITEO_BALANCED,
    CRITEO_HASHED,
    DIGITS,
    DIGITS_MLP,
    FASHION,
    FASHION_MLP,
    PARTS,
    TEST,
    TOLD,
    TRAIN,
    LabelData,
    Part,
    active,
    attacks_on,
    columns,
    label_plan,
    model_utility,
    of,
    passive,
)
from seepage.papers.order import Order
from seepage.papers.plans import UNDEFENDED, Variant
from seepage.papers.readings import Reading, interval, intervals
from seepage.papers.rows import our_row, printed_row
from seepage.papers.table import Cells, Table
from seepage.scores.metrics import F1

_OURS: Final = {"every_epoch": True}
_RATE: Final = MixMatch().learning_rate
_PUBLISHED: Final = {"batch": 16, "iterations": 1024, "learning_rate": 2e-3, "every_epoch": True}


def choices(labels: int, *, long: bool) -> list[Reading]:
    """Return both attacks with one thing changed at a time.

    Parameters
    ----------
    long
        Whether the schedule of the authors' code is tried, which takes ten times as long.
    """
    changed: dict[str, tuple[Callable[..., Reading], Mapping[str, Any]]] = {
        "passive: bottom model tuned slowly": (passive, {"learner": _OURS}),
        "passive: bottom model frozen, as in the authors' code": (passive, {"learner": _OURS, "bottom": "frozen"}),
        "passive: bottom model tuned at the head's rate": (passive, {"learner": _OURS, "bottom_learning_rate": _RATE}),
        "passive: published schedule": (passive, {"learner": _PUBLISHED}),
        "passive: published schedule, frozen": (passive, {"learner": _PUBLISHED, "bottom": "frozen"}),
        "active: as the text means it": (active, {"learner": _OURS}),
        "active: scaling compounds, as in the authors' code": (
            active,
            {"learner": _OURS, "acceleration": {"compounding": True}},
        ),
    }
    made = [replace(attack(labels, **settings), label=label) for label, (attack, settings) in changed.items()]
    return [reading for reading in made if long or reading.settings["learner"] != _PUBLISHED]


def chosen(asked: Sequence[LabelData], order: Order) -> Iterator[Cells]:
    """Both attacks with one thing changed at a time: after the chosen epoch, the last, and the best by truth."""
    for data in asked:
        readings = choices(data.labels, long=data != DIGITS)
        findings = order.run(label_plan(data, readings), data.folder)
        for reading in readings:
            mine = reading.among(findings)
            epochs = [after for after in map(after_epochs, mine) if after]  # a run that diverged has none
            first, *rest = (
                of(reading, "top1", TRAIN, label="chosen epoch"),
                of(reading, "top1", TEST, label="chosen epoch, test"),
                of(reading, "auc", TRAIN, label="AUC"),
                of(reading, "top1_linear_probe", TRAIN, label="linear probe"),
                of(reading, "blind", TRAIN, label="blind"),
                model_utility(reading),
            )
            numbers = {
                **intervals([first], mine),
                "last epoch": interval([after[-1] for after in epochs]),
                "best epoch by truth": interval([max(after) for after in epochs]),
                **intervals(rest, mine),
            }
            yield our_row({"data": data.label, "choice": reading.label}, numbers, mine)


def after_epochs(found: Finding) -> list[float]:
    """Return what each epoch reached on training rows, the last at the end; the authors report the best of them."""
    named = ((re.fullmatch(r"top1_epoch_(\d+)", name), value) for name, value in found.other_metrics.items())
    after = {int(told[1]): value for told, value in named if told}
    return [after[number] for number in sorted(after)]


CHOICES: Final = Table.told(TOLD["choices"], datasets=(BREAST_CANCER, DIGITS_MLP, DIGITS), rows=chosen)


@dataclass(frozen=True)
class Dealt:
    """One way to deal the columns: what it is called in a line, what is different in the partition, and in the data."""

    cells: Mapping[str, str]
    partition: Mapping[str, Any]
    data: str | None = None

    @property
    def folder(self) -> str:
        """Where its results go, below the folder of the data.

        >>> Dealt({"parties": "10", "shared": "25 %"}, {"parties": 10, "shared": 0.25}).folder
        'parties-10-shared-0.25'
        """
        return "-".join(f"{key.replace('_', '-')}-{value}" for key, value in self.partition.items())


def dealt_otherwise(
    asked: Sequence[LabelData],
    order: Order,
    *,
    dealt: Mapping[str, Sequence[Dealt]],
    printed: Mapping[str, Sequence[tuple[str, str, float]]] | None = None,
) -> Iterator[Cells]:
    """Both attacks and simple ones on training and test rows, for every way to deal the columns of a data set."""
    for data in asked:
        for parties, overlap, score in (printed or {}).get(data.data, ()):
            start = {"data": data.label, "parties": parties, "overlap": overlap, "rows": "not told"}
            yield printed_row({**start, "measure": F1.title}, {"active": score})
        for way in dealt[data.data]:
            plan = label_plan(
                replace(data, data=way.data or data.data), attacks_on(data), seeds=3, partition=way.partition
            )
            findings = order.run(plan, f"{data.folder}/{way.folder}")
            for part in PARTS:
                start = {"data": data.label, **way.cells, "rows": part}
                yield our_row(start, intervals(_told(data, part), findings), findings)


def _told(data: LabelData, part: Part) -> list[Reading]:
    """Return the columns of a line; F1 is told without blind guesses and upper bounds, which are known in top-1."""
    honest, malicious, probed, direct = attacks_on(data)
    if data.measure == F1.name:
        told = [of(reading, F1.name, part) for reading in (honest, malicious, probed, direct)]
    else:
        told = columns(data, part, "upper bound")
    return [*told, model_utility(honest, measure=data.measure)]


def _parties(parties: int, **partition: Any) -> Dealt:
    overlap = f"{partition.get('shared', 0.0):.0%}"
    return Dealt({"parties": str(parties), "overlap": overlap}, {"parties": parties, **partition})


def _patches(parties: int, **partition: Any) -> Dealt:
    """Deal as many patches of a patient as there are parties; F1 is what the paper tells."""
    way = _parties(parties, kind="stripes", **partition)
    return replace(way, cells={**way.cells, "measure": F1.title}, data="bhi" if parties == 2 else f"bhi_{parties}")


_SHARES: Final = tuple(
    Dealt({"share of columns": f"{share:.1%}"}, {"adversary_share": share}) for share in (0.125, 0.25, 0.375, 0.5, 0.75)
)
_MANY: Final = (2, 4, 6, 8, 10)
_STRIPES: Final = tuple(_parties(parties, kind="stripes") for parties in _MANY)
_EVENLY: Final = tuple(_parties(parties) for parties in _MANY)
_OVERLAPPING: Final = tuple(_parties(10, shared=shared) for shared in (0.25, 0.5, 1.0))
_SHARED_STRIPES: Final = {parties: _parties(parties, kind="stripes", shared=2 / (parties - 1)) for parties in (8, 10)}
"""Two more pieces than one, as in the paper."""

FIGURE2: Final = Table.told(
    TOLD["figure2"],
    datasets=(CRITEO_BALANCED, CRITEO_HASHED),
    shown=(CRITEO_BALANCED,),
    rows=partial(dealt_otherwise, dealt={CRITEO_BALANCED.data: _SHARES, CRITEO_HASHED.data: _SHARES}),
)

FIGURE3: Final = Table.told(
    TOLD["figure3"],
    datasets=(CRITEO_BALANCED, DIGITS, FASHION, BHI),
    shown=(CRITEO_BALANCED, DIGITS),
    rows=partial(
        dealt_otherwise,
        dealt={
            CRITEO_BALANCED.data: (*_EVENLY, *_OVERLAPPING),
            DIGITS.data: (*_STRIPES[:-1], _SHARED_STRIPES[8]),
            FASHION.data: (*_STRIPES, _SHARED_STRIPES[10]),
            BHI.data: (*map(_patches, _MANY), _patches(10, shared=2 / 9)),
        },
        printed=TOLD["figure3"]["printed"],
    ),
)


def with_server(data: LabelData) -> dict[str, Any]:
    """Let a server hold the labels alone: two parties hold half a picture each, or half of the columns at random."""
    return {"kind": "stripes" if data.partition else "random", "parties": 3, "labels_only": True}


_ALONG: Final[Mapping[str, tuple[str, str, tuple[float | str, ...], Mapping[str, str]]]] = {
    "noise": ("laplace-noise", "scale", (1e-4, 1e-3, 1e-2, 1e-1), {}),
    "top-k": ("top-k", "share", (0.75, 0.5, 0.25, 0.1), {}),
    "PPDL": ("privacy-preserving-dl", "theta_u", (0.75, 0.5, 0.25, 0.1), {}),
    "PPDL, authors' variant": ("privacy-preserving-dl", "theta_u", (0.75, 0.5, 0.25, 0.1), {"unselected": "raw"}),
    "discrete": ("discrete-gradients", "intervals", (24, 18, 12, 6), {}),
    "signs": ("sign-gradients", "scale", ("mean", 1.0), {}),
}
FAMILIES: Final = {
    label: tuple(Variant(f"{label} {value}", defense, {setting: value, **others}) for value in values)
    for label, (defense, setting, values, others) in _ALONG.items()
}
"""What a defense is called → the defense along its setting, from weak to strong."""
VARIANTS: Final = (UNDEFENDED, *(variant for family in FAMILIES.values() for variant in family))


def defended(asked: Sequence[LabelData], order: Order) -> Iterator[Cells]:
    """Both attacks under every defense, beside what the joint model is worth in the same training."""
    for data in asked:
        both = attacks_on(data)[:2]
        plan = label_plan(data, both, partition=with_server(data), defenses=VARIANTS)
        findings = order.run(plan, data.folder)
        for variant in VARIANTS:
            mine = variant.of(findings)
            numbers = intervals(_defended(*both), mine)
            yield our_row({"data": data.label, "defense": variant.label}, numbers, mine)


def _defended(honest: Reading, malicious: Reading) -> list[Reading]:
    """Return the columns of a line: each attack, its linear probe, and the joint model in the same training."""
    read = []
    for attack, model, probing in (
        (honest, "model", "linear probe"),
        (malicious, "model, attacked", "probe after active"),
    ):
        read += [
            model_utility(attack, model),
            of(attack, "top1", TRAIN),
            of(attack, "top1_linear_probe", TRAIN, label=probing),
            of(attack, "top1", TEST, label=f"{attack.label}, test"),
            of(attack, "top1_linear_probe", TEST, label=f"{probing.removeprefix('linear ')}, test"),
        ]
    return [*read, of(honest, "blind", TRAIN, label="blind"), of(honest, "blind", TEST, label="blind, test")]


_DEFENDED: Final = (
    DIGITS.trained(epochs=30),
    replace(FASHION_MLP, seeds=3),
    CRITEO_BALANCED.trained(first_weights="he"),
)
"""Criteo begins with weights of He et al., as the paper says: with PyTorch's a top model so narrow may never start."""
FIGURE5: Final = Table.told(
    TOLD["figure5"],
    datasets=(*_DEFENDED, *(replace(data, seeds=1) for data in (CIFAR10, BHI))),
    shown=_DEFENDED,
    rows=defended,
)
