"""What all experiments of paper 002 have in common: data sets, models, how columns are dealt.

Columns are ordinal and min-max scaled; the active party is the adversary, and
the *target share* is the share of columns that it lacks, dealt anew for every
seed. From the paper: trees of depth 5, forests of 100 trees of depth 3, networks
of 600, 300 and 100 units. Here 300 and 150 of these are at each of the two
parties and 100 in the top model: the paper's dense network without the weights
between one party's columns, or units, and the other's. From the authors' code:
at least 5 rows in a leaf.

Their forest is scikit-learn's with its defaults: every split chooses among √d
columns drawn for it, every tree grows on a bootstrap sample, and thresholds lie
behind every value. Here trees grow on 63.2 % of the rows, as many as a bootstrap
sample has different ones, none counted twice; thresholds lie at 32 quantiles; and
a column that is constant in a node counts as one of the √d, where scikit-learn
draws another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from seepage.attacks.features.generative_regression import GenerativeRegression
from seepage.audit.plan.plan import DataPlan, Plan
from seepage.audit.stages.preparation import load_table
from seepage.data import STRATIFIED
from seepage.data import Table as Rows
from seepage.errors import DataUnavailable
from seepage.papers.described import described
from seepage.papers.plans import UNDEFENDED, Variant, table_plan
from seepage.papers.readings import Reading

TOLD: Final = described("features")
"""Table → its words, and what the paper prints."""
LR: Final = "logistic-regression"
NN: Final = "split-network"
RF: Final = "forest"
DT: Final = "decision-tree"

PER_TREE: Final = "forest, 80 % of columns per tree"
"""The forest of paper 003, which draws columns for a tree instead of a split."""

_GROWN: Final = {"trees": 100, "depth": 3, "candidates": "quantiles-once"}
MODELS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    LR: (LR, {}),
    NN: (NN, {"hidden": [300], "cut": 150, "top": [100], "epochs": 10, "batch": 256}),
    RF: (RF, {**_GROWN, "row_sample": 0.632, "column_sample": 1.0, "columns_per_split": "sqrt"}),
    PER_TREE: (RF, _GROWN),
    DT: (DT, {"depth": 5, "least_rows": 5}),
}
"""Model, as lines name it → federation and settings."""


@dataclass(frozen=True)
class FeatureData:
    """A data set, and what is different in how its network is trained.

    Parameters
    ----------
    size, classes
        Rows, columns and classes of Table II.
    bound
        What the paper says Eq. 15 is over all columns (§VI-B).

    Examples
    --------
    >>> FeatureData("wine", (0, 0), 3).measured
    (178, 13)
    """

    data: str
    size: tuple[int, int]
    classes: int
    network: Mapping[str, Any] = field(default_factory=dict)
    bound: float | None = None

    @property
    def rows(self) -> Rows:
        """The table itself."""
        return load_table(DataPlan(name=self.data))

    @property
    def measured(self) -> tuple[int, int]:
        """Rows and columns: of the table, or those that the paper tells of where it is not here."""
        try:
            return self.rows.rows, len(self.rows.columns)
        except DataUnavailable:
            return self.size


BANK: Final = FeatureData("bank_additional", (45211, 20), 2, bound=0.60)
BANK_FULL: Final = FeatureData("bank_full", (45211, 20), 2, bound=0.60)
"""The paper's bank marketing has the rows of one edition, and the columns of the other."""
CREDIT: Final = FeatureData("credit_card", (30000, 23), 2, bound=0.14)
DRIVE: Final = FeatureData("drive", (58509, 48), 11, {"epochs": 60, "batch": 64}, bound=0.45)
"""With few rows, networks need more passes and smaller batches: those of the authors' code."""
NEWS: Final = FeatureData("news", (39797, 59), 5, bound=0.34)
SYNTHETIC: Final = (FeatureData("synthetic-1", (100_000, 25), 10), FeatureData("synthetic-2", (100_000, 50), 5))
SHOWN: Final = (BANK, CREDIT, DRIVE, NEWS)
"""The paper's four; credit card data have to be brought, and our drive has 200 rows of each class."""
DATASETS: Final = (*SHOWN, BANK_FULL)

GRN: Final = "generative-regression"
GENERATED: Final = Reading("GRN", GRN)
NEW_ROWS: Final = 0.2
"""The share of a table whose predictions are released."""
HALF: Final = "0.5"
"""How rows are split for Figure 9."""


def published_grn(data: FeatureData, share: float, predictions: int | None = None) -> dict[str, Any]:
    """Return the settings of the authors' code for a data set, target share and, if not all, number of predictions."""
    rows, columns = data.measured
    unknown = columns - round((1 - share) * columns)
    published = GenerativeRegression.published(predictions=predictions or round(NEW_ROWS * rows), unknown=unknown)
    return {**asdict(published), "predictions": predictions}


def feature_plan(
    data: FeatureData,
    model: str,
    readings: Sequence[Reading],
    *,
    share: float,
    seeds: int,
    defenses: Sequence[Variant] = (UNDEFENDED,),
    split: str = STRATIFIED,
) -> Plan:
    """Return a plan for one target share: every attack on one model under every defense."""
    federation, settings = MODELS[model]
    return table_plan(
        [(federation, {**settings, **(data.network if model == NN else {})})],
        readings,
        data={"name": data.data},
        partition={"adversary_share": round(1 - share, 6)},
        adversary=["active"],
        encoding="ordinal",
        scaling="minmax",
        split=split,
        defenses=defenses,
        seeds=seeds,
    )
