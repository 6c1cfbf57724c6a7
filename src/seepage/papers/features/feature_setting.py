"""What all experiments of paper 002 have in common: data sets, models, how columns are dealt.

Columns are ordinal and min-max scaled; the active party is the adversary, and
the *target share* is the share of columns that it lacks, dealt anew for every
seed. From the paper: trees of depth 5, forests of 100 trees of depth 3, networks
of 600, 300 and 100 units, here 300 and 150 at each of the two parties and 100
in the top model. From the authors' code: at least 5 rows in a leaf.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from seepage.attacks.features.generative_regression import GenerativeRegression
from seepage.audit.plan.plan import DataPlan, Plan
from seepage.audit.stages.preparation import load_table
from seepage.data import Table as Rows
from seepage.papers.described import described
from seepage.papers.plans import UNDEFENDED, Variant, table_plan
from seepage.papers.readings import Reading

TOLD: Final = described("features")
"""Table → its words, and what the paper prints."""
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


@dataclass(frozen=True)
class FeatureData:
    """A data set, and what is different in how its network is trained."""

    data: str
    network: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> Rows:
        """The table itself."""
        return load_table(DataPlan(name=self.data))


BANK: Final = FeatureData("bank_additional")
DRIVE: Final = FeatureData("drive", {"epochs": 60, "batch": 64})
"""With few rows, networks need more passes and smaller batches: those of the authors' code."""
NEWS: Final = FeatureData("news")
DATASETS: Final = (BANK, DRIVE, NEWS)
"""The paper's credit card data are not at hand; our drive has 200 rows of each class."""

GRN: Final = "generative-regression"
GENERATED: Final = Reading("GRN", GRN)
NEW_ROWS: Final = 0.2
"""The share of a table whose predictions are released."""


def published_grn(data: FeatureData, share: float) -> dict[str, Any]:
    """Return the settings of the authors' code for one data set and target share."""
    columns = len(data.rows.columns)
    unknown = columns - round((1 - share) * columns)
    return asdict(GenerativeRegression.published(predictions=round(NEW_ROWS * data.rows.rows), unknown=unknown))


def feature_plan(
    data: FeatureData,
    model: str,
    readings: Sequence[Reading],
    *,
    share: float,
    seeds: int,
    defenses: Sequence[Variant] = (UNDEFENDED,),
) -> Plan:
    """Return a plan for one target share: every attack on one model under every defense."""
    return table_plan(
        [(model, {**MODELS[model], **(data.network if model == NN else {})})],
        readings,
        data={"name": data.data},
        partition={"adversary_share": round(1 - share, 6)},
        adversary=["active"],
        encoding="ordinal",
        scaling="minmax",
        defenses=defenses,
        seeds=seeds,
    )
