"""Figures 5 to 10 of paper 003: attacks on trees along one setting, and defenses. The paper prints no numbers."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, Final

import numpy as np

from seepage.audit.plan.settings import build
from seepage.audit.stages.preparation import load_table
from seepage.data import Table as Rows
from seepage.defenses import DEFENSES
from seepage.defenses.trees.purity_limit import PurityLimit
from seepage.mechanisms.purity import largest_leakage
from seepage.papers.order import Order
from seepage.papers.plans import UNDEFENDED, Variant
from seepage.papers.readings import Reading, spreads
from seepage.papers.rows import auc_of, our_row
from seepage.papers.table import Cells, Table
from seepage.papers.trees.tree_setting import (
    CL,
    COMMUNITIES,
    FIRST_TREE_ALONE,
    FOUR_ATTACKS,
    ID2GRAPH,
    LARGE,
    MODELS,
    SMALL,
    TOLD,
    UNI,
    UNI_CL,
    TreeData,
    grafting,
    label_dp,
    on_model,
    purity_limit,
    tree_plan,
)


def swept(
    asked: Sequence[TreeData],
    order: Order,
    *,
    axis: str,
    partitions: Sequence[Mapping[str, Any]] = ({},),
    models: Sequence[Mapping[str, Any]] = ({},),
) -> Iterator[Cells]:
    """V-measure of all attacks on both models while one setting changes: a line for each value, model after model.

    Parameters
    ----------
    axis
        The setting that changes, in partitions or in models.
    partitions
        What is different in how columns are dealt; each has a plan of its own.
    models
        Settings that replace the usual ones of both models, in one plan.
    """
    readings = (*FOUR_ATTACKS, COMMUNITIES)
    for data in asked:
        found = {}
        for place, partition in enumerate(partitions):
            folder = f"{data.folder}/{axis}-{partition[axis]}" if axis in partition else data.folder
            found[place] = order.run(tree_plan(data, partition=partition, models=models), folder)
        for model, (place, partition), settings in product(MODELS, enumerate(partitions), models):
            mine = [one for one in on_model(found[place], model) if settings.items() <= one.model_settings.items()]
            start = {"data": data.label, "model": model, axis: str({**partition, **settings}[axis])}
            yield our_row(start, {**spreads(readings, mine), "test AUC": str(auc_of(mine))}, mine)


_FIGURE: Final = partial(Table[TreeData].told, datasets=(*SMALL, *LARGE), shown=SMALL)

FIGURE5: Final = Table.told(
    TOLD["figure5"],
    datasets=(*SMALL, *LARGE[:2]),
    shown=SMALL,
    rows=partial(
        swept,
        axis="adversary_share",
        partitions=tuple({"kind": "by-importance", "adversary_share": tenths / 10} for tenths in range(1, 10, 2)),
    ),
)

FIGURE6: Final = _FIGURE(
    TOLD["figure6"],
    rows=partial(swept, axis="depth", models=tuple({"depth": depth} for depth in (2, 3, 4, 5, 6, 8, 10))),
)

FIGURE7: Final = _FIGURE(
    TOLD["figure7"],
    rows=partial(swept, axis="trees", models=tuple({"trees": trees} for trees in (1, 2, 3, 5, 10, 20))),
)

BUDGETS: Final = (0.1, 0.5, 1.0, 2.0)
VARIANTS: Final = (
    UNDEFENDED,
    *(make(budget) for make in (purity_limit, label_dp, grafting) for budget in BUDGETS),
    FIRST_TREE_ALONE,
)


def defended(
    asked: Sequence[TreeData],
    order: Order,
    *,
    readings: Sequence[Reading],
    variants: Sequence[Variant] = VARIANTS,
    labels_only: bool = False,
) -> Iterator[Cells]:
    """V-measure of attacks beside the worth of the joint model, for every defense at every setting."""
    for data in asked:
        partition = {"labels_only": True} if labels_only else {}
        plan = tree_plan(data, partition=partition, defenses=(UNDEFENDED, *variants))
        findings = order.run(plan, f"{data.folder}/labels-only" if labels_only else data.folder)
        rows = load_table(plan.data)
        for model, variant in product(MODELS, variants):
            mine = variant.of(on_model(findings, model))
            start = {"data": data.label, "model": model, "defense": variant.label}
            numbers = {**spreads(readings, mine), "test AUC": str(auc_of(mine))}
            yield our_row(start, numbers, mine, remark=idle(variant, rows))


def idle(variant: Variant, rows: Rows) -> str:
    """Say so where a limit is too high to change anything; the shares of a stratified split are the table's."""
    defense = build(DEFENSES, variant.defense, variant.settings) if variant.defense else None
    if not isinstance(defense, PurityLimit):
        return ""
    largest = largest_leakage(np.bincount(rows.labels))
    return f"no effect: no node exceeds {largest:.2f}" if defense.limit >= largest else ""


FIGURE8: Final = _FIGURE(TOLD["figure8"], rows=partial(defended, readings=(CL, ID2GRAPH, COMMUNITIES)))

FIGURE9: Final = _FIGURE(TOLD["figure9"], rows=partial(defended, readings=(CL, UNI, UNI_CL)))

FIGURE10: Final = _FIGURE(
    TOLD["figure10"], rows=partial(defended, readings=(CL, ID2GRAPH, COMMUNITIES), labels_only=True)
)
