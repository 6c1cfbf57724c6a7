"""What all experiments of paper 002 have in common: data sets, models, how columns are dealt.

Columns are ordinal and min-max scaled; the active party is the adversary, and
the *target share* is the share of columns that it lacks, dealt anew for every
seed. From the paper: trees of depth 5, forests of 100 trees of depth 3, networks
of 600, 300 and 100 units, here 300 and 150 at each of the two parties and 100
in the top model. From the authors' code: at least 5 rows in a leaf.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from seepage.attacks.features.generative_regression import GenerativeRegression
from seepage.audit.plan.plan import DataPlan, Plan, make_plan
from seepage.audit.stages.preparation import load_table
from seepage.papers.order import Order
from seepage.papers.readings import Reading
from seepage.papers.variants import UNDEFENDED, Variant

LR: Final = "logistic-regression"
NN: Final = "split-network"
RF: Final = "forest"
DT: Final = "decision-tree"

MODELS: Final[Mapping[str, Mapping[str, Any]]] = {
    LR: {},
    NN: {"hidden": [300], "cut": 150, "top": [100], "epochs": 10, "batch": 256},
    RF: {"trees": 100, "depth": 3, "candidates": "quantiles-once"},
    DT: {"depth": 5, "least_rows": 5},
}

SMALL_TABLES: Final[Mapping[str, Mapping[str, Any]]] = {"drive": {NN: {"epochs": 60, "batch": 64}}}
"""With few rows, networks need more passes and smaller batches: those of the authors' code."""

DATASETS: Final = ("bank_additional", "drive", "news")
"""The paper's credit card data are not at hand; our drive has 200 rows of each class."""


GRN: Final = "generative-regression"
NEW_ROWS: Final = 0.2
"""The share of a table whose predictions are released."""


def published_grn(data: str, share: float) -> dict[str, Any]:
    """Return the settings of the authors' code for one data set and target share."""
    table = load_table(DataPlan(name=data))
    unknown = len(table.columns) - round((1 - share) * len(table.columns))
    return asdict(GenerativeRegression.published(predictions=round(NEW_ROWS * table.rows), unknown=unknown))


def feature_plan(
    data: str,
    order: Order,
    readings: Sequence[Reading],
    *,
    share: float,
    seeds: int,
    models: Sequence[str],
    defenses: Sequence[Variant] = (UNDEFENDED,),
) -> Plan:
    """Return a plan for one target share: every attack on every model under every defense."""
    attacks = [{"name": reading.attack, "settings": dict(reading.settings)} for reading in readings]
    return make_plan(
        {
            "data": {"name": data},
            "partition": {"adversary_share": round(1 - share, 6)},
            "adversary": ["active"],
            "encoding": "ordinal",
            "scaling": "minmax",
            "federations": [
                {"name": name, "settings": {**MODELS[name], **SMALL_TABLES.get(data, {}).get(name, {})}}
                for name in models
            ],
            "attacks": [attack for place, attack in enumerate(attacks) if attack not in attacks[:place]],
            "defenses": [
                {"name": variant.defense, "settings": dict(variant.settings)} for variant in defenses if variant.defense
            ],
            "undefended": UNDEFENDED in defenses,
            "seeds": order.seeds or seeds,
            "device": order.device,
        }
    )
