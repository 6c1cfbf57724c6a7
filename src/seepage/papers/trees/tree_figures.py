"""Figures 5 to 10 of paper 003: attacks on trees along one setting, and defenses. The paper prints no numbers."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, Final

import numpy as np

from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import Plan
from seepage.audit.plan.settings import build
from seepage.audit.stages.preparation import load_table, split_rows
from seepage.defenses import DEFENSES
from seepage.defenses.trees.purity_limit import PurityLimit
from seepage.mechanisms.purity import largest_leakage
from seepage.papers.order import Order
from seepage.papers.plans import UNDEFENDED, Variant
from seepage.papers.readings import Reading, Spread, spreads
from seepage.papers.rows import auc_of, our_row, seeds_of
from seepage.papers.table import Cells, Table
from seepage.papers.trees.tree_setting import (
    CL,
    COMMUNITIES,
    FASHION_LEFT,
    FASHION_WHOLE,
    FOUR_ATTACKS,
    ID2GRAPH,
    MODELS,
    NINE,
    SMALL,
    TOLD,
    UNI,
    UNI_CL,
    VARIANTS,
    TreeData,
    held_share,
    nine_with,
    on_model,
    tree_plan,
)
from seepage.partition.deal import importance
from seepage.randomness import stream


def swept(
    asked: Sequence[TreeData], order: Order, *, axis: str, models: Sequence[Mapping[str, Any]]
) -> Iterator[Cells]:
    """V-measure of all attacks on both models while one of their settings changes, which replaces the usual one."""
    for data in asked:
        findings = order.run(tree_plan(data, models=models), data.folder)
        for model, settings in product(MODELS, models):
            mine = [one for one in on_model(findings, model) if settings.items() <= one.model_settings.items()]
            yield _point({"data": data.label, "model": model, axis: str(settings[axis])}, mine)


def held(asked: Sequence[TreeData], order: Order, *, shares: Sequence[float]) -> Iterator[Cells]:
    """V-measure of all attacks on both models by what the adversary holds: each share has a plan of its own."""
    for data in asked:
        plans = {share: tree_plan(data, partition=held_share(data, share)) for share in shares}
        found = {share: order.run(plan, f"{data.folder}/adversary_share-{share}") for share, plan in plans.items()}
        done = any(map(seeds_of, found.values())) and not data.pictures
        ranked = importances(order.adapted(plans[shares[0]])) if done else []
        for model, share in product(MODELS, shares):
            mean, of_all = _held_importance(ranked, share)
            start = {"data": data.label, "model": model, "adversary_share": str(share)}
            told = {**start, "importance": mean.written(3), "of all importance": of_all.written(3)}
            yield _point(told, on_model(found[share], model))


def _point(start: Cells, mine: Sequence[Finding]) -> Cells:
    return our_row(start, {**spreads((*FOUR_ATTACKS, COMMUNITIES), mine), "test AUC": str(auc_of(mine))}, mine)


def importances(plan: Plan) -> list[list[float]]:
    """Return what columns tell about the label, the most important first, as they are dealt under each seed."""
    table = load_table(plan.data)
    told = [
        importance(table, split_rows(table, plan.split, seed).train, stream(seed, "partition")) for seed in plan.seeds
    ]
    return [sorted(map(float, columns), reverse=True) for columns in told]


def _held_importance(ranked: Sequence[Sequence[float]], share: float) -> tuple[Spread, Spread]:
    """Average the importance of the adversary's columns, and add up which share of all importance they have."""
    mine = [columns[: max(1, round(share * len(columns)))] for columns in ranked]
    parts = [sum(own) / sum(columns) for own, columns in zip(mine, ranked, strict=True)]
    return Spread.of([sum(own) / len(own) for own in mine]), Spread.of(parts)


FIGURE5: Final = Table.told(
    TOLD["figure5"],
    datasets=nine_with(FASHION_LEFT),
    shown=SMALL,
    rows=partial(held, shares=tuple(tenths / 10 for tenths in range(1, 10, 2))),
)

_FIGURE: Final = partial(Table[TreeData].told, shown=SMALL)

FIGURE6: Final = _FIGURE(
    TOLD["figure6"],
    datasets=NINE,
    rows=partial(swept, axis="depth", models=tuple({"depth": depth} for depth in (2, 3, 4, 5, 6, 8, 10))),
)

FIGURE7: Final = _FIGURE(
    TOLD["figure7"],
    datasets=NINE,
    rows=partial(swept, axis="trees", models=tuple({"trees": trees} for trees in (1, 2, 3, 5, 10, 20))),
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
        classes = class_counts(plan) if seeds_of(findings) else []
        for model, variant in product(MODELS, variants):
            mine = variant.of(on_model(findings, model))
            start = {"data": data.label, "model": model, "defense": variant.label}
            numbers = {**spreads(readings, mine), "test AUC": str(auc_of(mine))}
            yield our_row(start, numbers, mine, remark=idle(variant, classes))


def class_counts(plan: Plan) -> list[int]:
    """Count the rows of each class."""
    return [int(count) for count in np.bincount(load_table(plan.data).labels)]


def idle(variant: Variant, classes: Sequence[int]) -> str:
    """Say so where a limit is too high to change anything; the shares of a stratified split are the table's.

    >>> from seepage.papers.trees.tree_setting import purity_limit
    >>> idle(purity_limit(1.0), [50, 50]), idle(purity_limit(0.5), [50, 50])
    ('no effect: no node exceeds 0.69', '')
    """
    defense = build(DEFENSES, variant.defense, variant.settings) if variant.defense else None
    if not classes or not isinstance(defense, PurityLimit):
        return ""
    largest = largest_leakage(np.array(classes))
    return f"no effect: no node exceeds {largest:.2f}" if defense.limit >= largest else ""


FIGURE8: Final = _FIGURE(TOLD["figure8"], datasets=NINE, rows=partial(defended, readings=(CL, ID2GRAPH, COMMUNITIES)))

FIGURE9: Final = _FIGURE(TOLD["figure9"], datasets=NINE, rows=partial(defended, readings=(CL, UNI, UNI_CL)))

FIGURE10: Final = _FIGURE(
    TOLD["figure10"],
    datasets=nine_with(FASHION_WHOLE),
    rows=partial(defended, readings=(CL, ID2GRAPH, COMMUNITIES), labels_only=True),
)
