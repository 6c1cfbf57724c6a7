"""Numbers on CIFAR-10 beside those of Tables 2, 3 and 4 of paper 001."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from seepage.papers.described import described
from seepage.scores.intervals import SHARE, mean_over_seeds
from seepage.scores.label_guesses import ALL_LABELS

PASSIVE, ACTIVE = "model-completion", "active-completion"
_PRINTED: Final = {name: told.get("printed", {}) for name, told in described("labels").items()}
TABLE_2: Final = {4: tuple(_PRINTED["table2"]["cifar10"][part]["active"] for part in ("training", "test"))}
TABLE_3: Final = {count: attack for count, attack, _ in _PRINTED["table3"]["cifar10"]}
SEMI: Final = {count: direct for count, _, direct in _PRINTED["table3"]["cifar10"]}
TABLE_4: Final = dict(zip((PASSIVE, ACTIVE), _PRINTED["table4"]["cifar10"].values(), strict=True))

HEADINGS: Final = ("attack, labels of each class", "paper: training", "ours: training", "paper: test", "ours: test")
ROWS: Final[Sequence[tuple[str, str, Mapping[int, Sequence[float]], str, str]]] = (
    (PASSIVE, PASSIVE, TABLE_3, "value", "top1_new"),
    (ACTIVE, ACTIVE, TABLE_2, "value", "top1_new"),
    ("linear probe", PASSIVE, {}, "top1_linear_probe", "top1_linear_probe_new"),
    ("semi-supervised", PASSIVE, SEMI, "blind_untrained_bottom", "blind_untrained_bottom_new"),
    ("own columns", PASSIVE, {}, "blind_own_columns", "blind_own_columns_new"),
)
"""What a line is called, its attack, labels of each class → what is printed, and its numbers in training and test."""


def lines(measured: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Return the tables as Markdown."""
    yield f"| {' | '.join(HEADINGS)} |"
    yield f"| ---{' | ---:' * (len(HEADINGS) - 1)} |"
    yield from (f"| {' | '.join(row)} |" for row in rows(measured))


def rows(measured: Sequence[Mapping[str, Any]]) -> Iterable[Sequence[str]]:
    """Return the cells of all lines; in results of old, what own columns tell with all labels is the ceiling."""
    flat = [{ALL_LABELS: one["ceiling"], **one["other"], **one} for one in measured]
    for count in sorted({one["labels_per_class"] for one in flat}):
        for name, attack, printed, train, test in ROWS:
            if mine := _of(flat, attack, count):
                there = [f"{number:.4f}" for number in printed[count]] if count in printed else ["–", "–"]
                yield f"{name}, {count}", there[0], _mean(mine, train), there[1], _mean(mine, test)
    if honest := _of(flat, PASSIVE, 4):
        yield "all labels", "–", _mean(honest, ALL_LABELS), "–", _mean(honest, "ceiling_new")
    for attack, accuracy in TABLE_4.items():
        if mine := _of(flat, attack, 4):
            yield f"joint model, {attack}", "–", "–", f"{accuracy:.4f}", _mean(mine, "utility")


def _of(flat: Sequence[Mapping[str, Any]], attack: str, count: int) -> list[Mapping[str, Any]]:
    return [one for one in flat if one["attack"] == attack and one["labels_per_class"] == count]


def _mean(mine: Sequence[Mapping[str, Any]], name: str) -> str:
    return str(mean_over_seeds([float(one[name]) for one in mine], SHARE))
