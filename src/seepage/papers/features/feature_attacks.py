"""Table III and Figures 5 to 8 of paper 002: attacks on predictions. The paper prints numbers for Table III alone."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from seepage.papers.features.feature_setting import (
    BANK,
    BANK_FULL,
    DATASETS,
    DRIVE,
    DT,
    GENERATED,
    GRN,
    LR,
    NN,
    PER_TREE,
    RF,
    SHOWN,
    TOLD,
    FeatureData,
    feature_plan,
    published_grn,
)
from seepage.papers.order import Order
from seepage.papers.plans import UNDEFENDED, Variant
from seepage.papers.readings import Reading, spreads
from seepage.papers.rows import our_row, seeds_of, utility_of, why_not
from seepage.papers.table import Cells, Table


class Case(NamedTuple):
    """One line of Table III: a change of the attack's settings, or a guess that is read beside the whole attack."""

    number: str
    label: str
    printed: str = ""
    changes: Mapping[str, Any] = {}
    metric: str | None = None


CASES: Final = (
    Case("1", "noise alone as input", "0.1705", {"inputs": "noise"}),
    Case("2", "own columns alone as input", "0.1514", {"inputs": "own"}),
    Case("3", "no constraint on the variance", "0.1474", {"variance_weight": 0.0}),
    Case("4", "no generator", "0.2862", {"generator": False}),
    Case("5", "all of it", "0.1216"),
    Case("6", "random guess", "0.2459", metric="mse_uniform"),
    Case("", "constant ½", metric="mse_half"),
    Case("", "column mean, which needs the truth", metric="mse_column_mean"),
)


def ablated(
    asked: Sequence[FeatureData], order: Order, *, attack: Reading = GENERATED, share: float = 0.4
) -> Iterator[Cells]:
    """The attack without one of its parts at a time, with the authors' settings and with ours."""
    for data in asked:
        bases = {"as-published": published_grn(data, share), "defaults": {}}
        readings = {
            name: [
                Reading(case.label, attack.attack, {**settings, **attack.settings, **case.changes}, case.metric)
                for case in CASES
            ]
            for name, settings in bases.items()
        }
        found = {
            name: order.run(feature_plan(data, LR, read, share=share, seeds=10), f"{data.data}/{name}")
            for name, read in readings.items()
        }
        published, defaults = (spreads(readings[name], found[name], 4) for name in bases)
        for case in CASES:
            yield {
                "data": data.data,
                "case": case.number,
                "what": case.label,
                "paper": case.printed,
                "ours, authors' settings": published[case.label],
                "ours, defaults": defaults[case.label],
                "seeds": str(min(map(seeds_of, found.values()))),
                "remark": why_not([one for findings in found.values() for one in findings]),
            }


TABLE3: Final = Table.told(TOLD["table3"], datasets=(BANK, BANK_FULL), shown=(BANK,), rows=ablated)


SHARES: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)


Printed: TypeAlias = Mapping[tuple[str, float], str]
"""Data set and target share → what the paper says."""
NO_WORD: Final[Printed] = MappingProxyType({})


def attacked(
    asked: Sequence[FeatureData],
    order: Order,
    *,
    readings: Sequence[Reading],
    models: Sequence[str],
    shares: Sequence[float] = SHARES,
    variants: Sequence[Variant] = (UNDEFENDED,),
    seeds: int = 5,
    digits: int = 4,
    published: bool = False,
    printed: Printed = NO_WORD,
) -> Iterator[Cells]:
    """What attacks infer about the columns of others, by model, target share and defense.

    Parameters
    ----------
    published
        Whether generative regression has the settings of the authors' code.
    printed
        What the text of the paper says of a data set and a share, of the first number that is read.
    """
    for data, model, share in product(asked, models, shares):
        read = readings
        if published:
            read = [replace(one, settings={**published_grn(data, share), **one.settings}) for one in readings]
        plan = feature_plan(data, model, read, share=share, seeds=seeds, defenses=variants)
        findings = order.run(plan, f"{data.data}/{_folder(model)}/share-{share:g}")
        for variant in variants:
            mine = variant.of(findings)
            start = {
                "data": data.data,
                **({"model": model} if len(models) > 1 else {}),
                "target share": f"{share:.0%}",
                **({"defense": variant.label} if len(variants) > 1 else {}),
                **({"paper": printed.get((data.data, share), "")} if printed else {}),
            }
            yield our_row(start, {**spreads(read, mine, digits), "utility": str(utility_of(mine))}, mine)


def _folder(model: str) -> str:
    """Name a folder after a model.

    >>> _folder("forest, 80 % of columns per tree")
    'forest-80-of-columns-per-tree'
    """
    return "-".join(re.findall(r"[\w-]+", model))


def blind(attack: str) -> tuple[Reading, ...]:
    """Return guesses that need no message, as they stand beside an attack, and one that needs the truth."""
    kinds = {"uniform": "uniform", "Gaussian": "gaussian", "½": "half", "column mean": "column_mean"}
    return tuple(Reading(label, attack, metric=f"mse_{kind}") for label, kind in kinds.items())


ESA: Final = Reading("ESA", "equality-solving")
BOUNDED: Final = Reading("bounded", "bounded-equality-solving")
PRA: Final = Reading("PRA", "path-restriction")

FIGURE5: Final = Table.told(
    TOLD["figure5"],
    datasets=DATASETS,
    shown=SHOWN,
    rows=partial(
        attacked,
        readings=(
            ESA,
            BOUNDED,
            *blind(ESA.attack),
            replace(ESA, label="Eq. 15", metric="bounds.equality_solving.mse_bound"),
            replace(ESA, label="exact", metric="exact"),
        ),
        models=(LR,),
        printed={(DRIVE.data, 0.1): "0", (DRIVE.data, 0.2): "0"},
    ),
)

FIGURE6: Final = Table.told(
    TOLD["figure6"],
    datasets=DATASETS,
    shown=SHOWN,
    rows=partial(
        attacked,
        readings=(
            PRA,
            replace(PRA, label="expected", metric="branching_rate_expected"),
            replace(PRA, label="own columns", metric="branching_rate_own_columns"),
            replace(PRA, label="any path", metric="branching_rate_any_leaf"),
            replace(PRA, label="paths left", metric="paths_mean"),
        ),
        models=(DT,),
        digits=3,
        seeds=20,
    ),
)

_GENERATED: Final = partial(
    attacked,
    readings=(GENERATED, *blind(GRN), replace(GENERATED, label="confidence error", metric="confidence_error")),
    models=(LR, NN, RF),
)

FIGURE7: Final = Table.told(TOLD["figure7"], datasets=DATASETS, shown=SHOWN, rows=_GENERATED)

FIGURE7_PUBLISHED: Final = Table.told(
    TOLD["figure7-published"],
    datasets=DATASETS,
    shown=SHOWN,
    rows=partial(_GENERATED, published=True, seeds=3),
)

FIGURE8: Final = Table.told(
    TOLD["figure8"],
    datasets=DATASETS,
    shown=SHOWN,
    rows=partial(
        attacked,
        readings=(
            replace(GENERATED, metric="branching_rate"),
            replace(GENERATED, label="½", metric="branching_rate_half"),
            replace(GENERATED, label="uniform", metric="branching_rate_uniform"),
        ),
        models=(RF, PER_TREE),
        digits=3,
        printed={(data.data, 0.1): "> 0.80" for data in (BANK, BANK_FULL, DRIVE)},
    ),
)
