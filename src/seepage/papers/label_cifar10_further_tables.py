"""Further lines on CIFAR-10 as Markdown: what each choice is worth, Table 6 and Figure 5."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from seepage.papers.described import described
from seepage.papers.label_cifar10_further import DIFFERENCES, FIGURE_5, TABLE_6
from seepage.scores.intervals import SHARE, mean_over_seeds

Held: TypeAlias = Sequence[Mapping[str, Any]]
_CALLED: Final = {"noise": "noise {:g}", "top-k": "top-k, {:.0%} kept", "ppdl": "PPDL, θ_u {:g}",
                  "discrete": "discrete, N {:g}"}  # fmt: skip
PRINTED: Final = {
    _CALLED[name].format(value): (model, attack)
    for name, rows in described("labels")["table6"]["printed"].items()
    for value, model, attack in rows
}
"""What a line of Table 6 is called → what the paper prints: accuracy of the model and of the attack."""
AUTHORS: Final = ", authors' variant"
"""What the name of a line ends with that the paper means, and does not call otherwise."""


def further_lines(table: str, held: Held) -> Iterable[str]:
    """Return one table of all that is held of it as Markdown, in the order in which it was measured."""
    yield f"| {' | '.join(further_headings(table))} |"
    yield f"| ---{' | ---:' * (len(further_headings(table)) - 1)} |"
    yield from (f"| {' | '.join(row)} |" for row in further_rows(table, held))


def further_headings(table: str) -> Sequence[str]:
    """Return what stands above the columns of a table."""
    return _TABLES[table][0]


def further_rows(table: str, held: Held) -> Iterable[Sequence[str]]:
    """Return the cells of a table, one row for each line with its seeds."""
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for one in held:
        if one.get("table") == table:
            groups.setdefault(tuple(one[name] for name in ("line", "epochs", "batch")), []).append(one)
    for mine in groups.values():
        yield mine[0]["line"], *_TABLES[table][1](mine)


def _difference(mine: Held) -> list[str]:
    flat = [{**one["other"], **one, "best": _best(one), "last": _steps(one)[-1]} for one in mine]
    names = ("value", "top1_new", "best", "last", "top1_linear_probe", "top1_linear_probe_new", "utility")
    return [str(mine[0]["epochs"]), str(mine[0]["batch"]), *(_mean(flat, name) for name in names)]


def _steps(one: Mapping[str, Any]) -> list[float]:
    """Return what each epoch of the learner reached on training rows."""
    other = one["other"]
    count = sum(name.startswith("top1_epoch_") and not name.endswith("_new") for name in other)
    return [other[f"top1_epoch_{number}"] for number in range(1, count + 1)]


def _best(one: Mapping[str, Any]) -> float:
    return max(_steps(one))


def _direct(mine: Held) -> list[str]:
    model, attack = (f"{number:.4f}" for number in PRINTED[named]) if (named := _printed_as(mine)) else ("–", "–")
    last = mine[0]["epochs"] - 1
    flat = [{**one["other"], **one} for one in mine]
    return [
        str(mine[0]["epochs"]),
        model,
        _mean(flat, "utility"),
        attack,
        _mean(flat, "first-negative, epoch 0"),
        _mean(flat, "smallest, epoch 0"),
        _mean(flat, f"smallest, epoch {last}"),
    ]


def _printed_as(mine: Held) -> str:
    """Return the name under which the paper prints a line; nothing where it prints none."""
    name = str(mine[0]["line"]).removesuffix(AUTHORS)
    return name if name in PRINTED else ""


def _completed(mine: Held) -> list[str]:
    cells = [str(mine[0]["epochs"])]
    for attack in ("model-completion", "active-completion"):
        flat = [{**one["other"], **one} for one in mine if one["attack"] == attack]
        names = ("utility", "value", "top1_linear_probe", "top1_new", "top1_linear_probe_new")
        cells += [_mean(flat, name) if flat else "–" for name in names]
    return cells


def _mean(flat: Held, name: str) -> str:
    return str(mean_over_seeds([float(one[name]) for one in flat], SHARE))


_TABLES: Final = {
    DIFFERENCES: (
        ("what is different", "epochs", "batch", "completion: training", "completion: test", "best epoch by truth",
         "last epoch", "linear probe: training", "linear probe: test", "joint model"),
        _difference,
    ),
    TABLE_6: (
        ("defense", "epochs", "paper: model", "ours: model", "paper: attack", "ours: first negative", "ours: smallest",
         "ours: smallest, last epoch"),
        _direct,
    ),
    FIGURE_5: (
        ("defense", "epochs", "model", "passive", "linear probe", "passive, test", "probe, test", "model, attacked",
         "active", "probe after active", "active, test", "probe after active, test"),
        _completed,
    ),
}  # fmt: skip
