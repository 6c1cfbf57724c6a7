"""What all experiments of paper 002 have in common: data sets, models, how columns are dealt.

Columns are ordinal and min-max scaled; the active party is the adversary, and
the *target share* is the share of columns that it lacks, dealt anew for every
seed. From the paper: trees of depth 5, forests of 100 trees of depth 3, networks
of 600, 300 and 100 units, here 300 and 150 at each of the two parties and 100
in the top model. From the authors' code: at least 5 rows in a leaf.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from seepage.audit.plan import Plan, make_plan
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

DATASETS: Final = ("bank_additional", "drive", "news")
"""The paper's credit card data are not at hand; our drive has 200 rows of each class."""


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
            "federations": [{"name": name, "settings": dict(MODELS[name])} for name in models],
            "attacks": [attack for place, attack in enumerate(attacks) if attack not in attacks[:place]],
            "defenses": [
                {"name": variant.defense, "settings": dict(variant.settings)} for variant in defenses if variant.defense
            ],
            "undefended": UNDEFENDED in defenses,
            "seeds": order.seeds or seeds,
            "device": order.device,
        }
    )
