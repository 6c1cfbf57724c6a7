"""Numbers on CIFAR-10 beside those of Tables 2, 3 and 4 of paper 001."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from seepage.scores.intervals import bootstrap
from seepage.scores.label_guesses import ALL_LABELS

PASSIVE, ACTIVE = "model-completion", "active-completion"
TABLE_2: Final = {PASSIVE: (0.8024, 0.6299), ACTIVE: (0.8484, 0.6342)}
TABLE_3: Final = {
    1: (0.6554, 0.5235),
    2: (0.7080, 0.5542),
    4: (0.8024, 0.6299),
    12: (0.8406, 0.6305),
    32: (0.8544, 0.6392),
}
SEMI: Final = {
    1: (0.1157, 0.1138),
    2: (0.1187, 0.1166),
    4: (0.1698, 0.1683),
    12: (0.1866, 0.1846),
    32: (0.3286, 0.3218),
}
TABLE_4: Final = {PASSIVE: 0.8280, ACTIVE: 0.8139}

Measured = Mapping[str, Any]
Pick = Callable[[Measured], float]


def lines(measured: Sequence[Measured]) -> Iterable[str]:
    """Return the tables as Markdown."""
    yield "| attack, labels of each class | paper: training | ours: training | paper: test | ours: test |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for count in sorted({one["labels_per_class"] for one in measured}):
        for attack in (PASSIVE, ACTIVE):
            mine = [one for one in measured if one["attack"] == attack and one["labels_per_class"] == count]
            if mine:
                published = TABLE_3.get(count) if attack == PASSIVE else TABLE_2.get(attack)
                yield _line(f"{attack}, {count}", published, mine, lambda one: one["value"], _other("top1_new"))
        mine = [one for one in measured if one["attack"] == PASSIVE and one["labels_per_class"] == count]
        if mine:
            of = "top1_linear_probe"
            yield _line(f"linear probe, {count}", None, mine, _other(of), _other(f"{of}_new"))
            of = "blind_untrained_bottom"
            yield _line(f"semi-supervised, {count}", SEMI.get(count), mine, _other(of), _other(f"{of}_new"))
            of = "blind_own_columns"
            yield _line(f"own columns, {count}", None, mine, _other(of), _other(f"{of}_new"))
    honest = [one for one in measured if one["attack"] == PASSIVE and one["labels_per_class"] == 4]
    if honest:
        yield _line("all labels (ceiling)", None, honest, _all_labels, _other("ceiling_new"))
    for attack, accuracy in TABLE_4.items():
        mine = [one for one in measured if one["attack"] == attack and one["labels_per_class"] == 4]
        if mine:
            yield f"| joint model, {attack} | – | – | {accuracy:.4f} | {_mean(mine, lambda one: one['utility'])} |"


def _line(name: str, published: tuple[float, float] | None, mine: Sequence[Measured], train: Pick, test: Pick) -> str:
    there = [f"{number:.4f}" for number in published] if published is not None else ["–", "–"]
    return f"| {name} | {there[0]} | {_mean(mine, train)} | {there[1]} | {_mean(mine, test)} |"


def _mean(mine: Sequence[Measured], pick: Pick) -> str:
    return str(bootstrap(np.array([[pick(one)] for one in mine]), lambda means: means[:, 0]))


def _all_labels(one: Measured) -> float:
    """Return what own columns tell of training rows with all labels; lines of old have it as their ceiling."""
    return float(one["other"].get(ALL_LABELS, one["ceiling"]))


def _other(name: str) -> Pick:
    return lambda one: float(one["other"][name])
