"""The direct attack of paper 001 on every data set, and what labels that it reads are good for (§5.1 and §6.2).

Without model splitting the gradient of the logits says which class a row has. A defense that hides many of these
labels leaves others, and with those the adversary completes its bottom model: passive with labels that it read
instead of labels that it was given.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from seepage.papers.labels.label_brought_along import BROUGHT_ALONG
from seepage.papers.labels.label_figures import VARIANTS, with_server
from seepage.papers.labels.label_setting import (
    AVILA,
    BREAST_CANCER,
    CRITEO_BALANCED,
    CRITEO_HASHED,
    DIGITS_MLP,
    FASHION_MLP,
    TEST,
    TOLD,
    TRAIN,
    LabelData,
    model_utility,
    of,
    passive,
)
from seepage.papers.order import Order
from seepage.papers.plans import table_plan
from seepage.papers.readings import Reading, intervals
from seepage.papers.rows import our_row, printed_row
from seepage.papers.table import Cells, Table

OF_SPLITTING: Final = frozenset({"cut", "top"})
"""What settings of `split-network` say of the top model, which there is none of here."""
FIRST: Final = Reading("direct, first epoch", "gradient-sign", {"epochs": [0]})
PUBLISHED: Final = Reading("published rule", "gradient-sign", {"epochs": [0], "rule": "first-negative"})


def summed(data: LabelData, **training: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the federation without model splitting: the same bottom models, whose logits are added up."""
    kept = {key: value for key, value in data.model.items() if key not in OF_SPLITTING}
    return "summed-network", {**kept, **training}


def read_directly(asked: Sequence[LabelData], order: Order) -> Iterator[Cells]:
    """Labels of all training rows, read off the first epoch; nothing later is trained."""
    for data in asked:
        if printed := TOLD["direct"]["printed"].get(data.data):
            yield printed_row({"data": data.label}, {FIRST.label: printed})
        plan = table_plan(
            [summed(data, epochs=1)],
            [FIRST, PUBLISHED],
            data=_named(data),
            partition={**data.partition},
            scaling=data.scaling,
            split=data.split,
            seeds=data.seeds,
        )
        findings = order.run(plan, f"{data.folder}/direct")
        told = [FIRST, PUBLISHED, of(FIRST, "blind", TRAIN, label="blind")]
        yield our_row({"data": data.label, "whose": "ours"}, intervals(told, findings), findings)


def _named(data: LabelData) -> dict[str, Any]:
    return {"name": data.data, **({"rows": data.rows} if data.rows else {})}


_SHOWN: Final = (DIGITS_MLP, FASHION_MLP, BREAST_CANCER, AVILA, CRITEO_HASHED, CRITEO_BALANCED)
DIRECT: Final = Table.told(TOLD["direct"], datasets=(*_SHOWN, *BROUGHT_ALONG), shown=_SHOWN, rows=read_directly)


def read_and_completed(asked: Sequence[LabelData], order: Order) -> Iterator[Cells]:
    """What the direct attack reads under each defense, and what the passive one makes of that outside training."""
    for data in asked:
        direct = Reading("direct, training", "gradient-sign")
        chained = Reading("completed with these, test", "direct-completion", {"inputs": "outputs"})
        columns = Reading("own columns with these, test", "direct-completion", {"inputs": "columns"})
        given = passive(data.labels, **data.learned)
        plan = table_plan(
            [summed(data)],
            [direct, given, chained, columns],
            defenses=VARIANTS,
            data=_named(data),
            partition={**data.partition, **with_server(data)},
            scaling=data.scaling,
            split=data.split,
            seeds=data.seeds,
        )
        findings = order.run(plan, f"{data.folder}/direct-passive")
        told = [
            model_utility(given),
            direct,
            of(given, "top1", TEST, label="passive, test"),
            chained,
            columns,
            of(given, "blind", TEST, label="blind, test"),
            of(given, "ceiling", TEST, label="all labels, test"),
        ]
        for variant in VARIANTS:
            mine = variant.of(findings)
            yield our_row({"data": data.label, "defense": variant.label}, intervals(told, mine), mine)


DIRECT_PASSIVE: Final = Table.told(
    TOLD["direct-passive"],
    datasets=(
        replace(DIGITS_MLP, seeds=3),
        replace(FASHION_MLP, seeds=1),
        *(replace(one, seeds=1) for one in BROUGHT_ALONG),
    ),
    shown=(replace(DIGITS_MLP, seeds=3), replace(FASHION_MLP, seeds=1)),
    rows=read_and_completed,
)
