"""What all experiments of paper 001 with a completed bottom model have in common: data sets, networks, attacks.

Pictures are cut in half from top to bottom, columns of tables are dealt at random,
half to each party; the party without labels attacks. A few training rows of each
class are labelled. Settings of the completion are the same for all data sets: the
bottom model is tuned, as the paper says, where the attack's own default freezes it.

The paper's networks are followed where data compare: fully connected ones on
tables (Table 1 of the paper, sizes from the authors' code), residual ones on
pictures, with one output for each class at the cut. A ReLU stands behind the
outputs of our fully connected bottom models, so that breast cancer gets four outputs instead
of two, and Criteo eight instead of four: with fewer, all may stay at zero. Criteo is trained for
seven epochs with Adam, as long as in the paper; we have 3,491 balanced ads to train on for the paper's 80,000.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from seepage.audit.plan.plan import Plan
from seepage.papers.described import described
from seepage.papers.plans import UNDEFENDED, Variant, table_plan
from seepage.papers.readings import Reading
from seepage.scores.label_guesses import ALL_LABELS
from seepage.scores.metrics import ACCURACY, TOP1

TOLD: Final = described("labels")
"""Table → its words, and what the paper prints."""
TRAIN: Final = "training"
TEST: Final = "test"
Part: TypeAlias = Literal["training", "test"]
PARTS: Final[tuple[Part, ...]] = (TRAIN, TEST)

COMPLETION: Final = {"bottom": "tuned", "learner": {"epochs": 10, "iterations": 30}}
"""How bottom models are completed in all tables: tuned, as the paper says, for 300 steps."""
SGD: Final = {"name": "sgd", "learning_rate": 0.01, "momentum": 0.9, "weight_decay": 5e-4}


@dataclass(frozen=True, kw_only=True)
class LabelData:
    """A data set, how its network is trained, and how many labels are known.

    Parameters
    ----------
    labels
        Labelled training rows of each class.
    counts
        All numbers of labelled rows that are tried on it (Table 3); empty tries `labels` alone.
    rows
        How many rows to draw from the data set; None takes all.
    all_measures
        Whether F1 and AUC are told as well: where there are two classes, or very unequal ones.
    kind
        What sets it apart from another setting of the same data.
    split
        Whether the test rows are those that the source itself sets aside.
    measure
        By which the paper measures attacks on it.
    learned
        What is different in how bottom models are completed.
    """

    data: str
    labels: int
    model: Mapping[str, Any]
    counts: tuple[int, ...] = ()
    partition: Mapping[str, Any] = field(default_factory=dict)
    scaling: str = "standard"
    rows: int | None = None
    all_measures: bool = False
    kind: str = ""
    seeds: int = 5
    split: str = "stratified"
    measure: str = TOP1.name
    learned: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What to call it in a line.

        >>> FASHION.label
        'fashion_mnist (10,000 rows)'
        """
        remarks = ", ".join(filter(None, (self.kind, f"{self.rows:,} rows" if self.rows else "")))
        return f"{self.data} ({remarks})" if remarks else self.data

    @property
    def folder(self) -> str:
        """Where its results go, below the folder of a table."""
        return "/".join(filter(None, (self.data, self.kind)))

    def trained(self, **model: Any) -> "LabelData":
        """Return the same data with another training."""
        return replace(self, model={**self.model, **model})


_HALVES: Final[Mapping[str, Any]] = {"partition": {"kind": "halves"}, "scaling": "minmax"}
COUNTS: Final = (1, 2, 4, 12, 32)

BREAST_CANCER: Final = LabelData(
    data="breast_cancer",
    labels=20,
    model={"hidden": [20, 20], "cut": 4, "top": [4], "epochs": 30, "batch": 16, "optimizer": SGD},
    all_measures=True,
)
DIGITS: Final = LabelData(
    data="digits",
    labels=4,
    model={"bottom": "resnet", "planes": [16, 32], "cut": 10, "top": [10], "epochs": 40, "batch": 32},
    counts=COUNTS,
    **_HALVES,
)
DIGITS_MLP: Final = LabelData(
    data="digits",
    labels=4,
    model={"hidden": [64], "cut": 16, "top": [32], "epochs": 30, "batch": 32, "optimizer": SGD},
    kind="mlp",
    **_HALVES,
)
FASHION: Final = LabelData(
    data="fashion_mnist",
    labels=4,
    model={"bottom": "resnet", "planes": [8, 16, 32], "cut": 10, "top": [10], "epochs": 10, "batch": 64},
    rows=10_000,
    seeds=3,
    counts=COUNTS,
    **_HALVES,
)
FASHION_MLP: Final = LabelData(
    data="fashion_mnist",
    labels=4,
    model={"hidden": [128, 64], "cut": 10, "top": [10], "epochs": 10, "batch": 64},
    kind="mlp",
    rows=10_000,
    **_HALVES,
    seeds=2,
)
AVILA: Final = LabelData(data="avila", labels=4, model={}, all_measures=True)
_ADS: Final[Mapping[str, Any]] = {
    "labels": 50,
    "model": {"hidden": [64, 16], "cut": 8, "top": [8, 4], "epochs": 7, "batch": 100},
    "scaling": "minmax",
    "all_measures": True,
    "seeds": 3,
}
CRITEO_BALANCED: Final = LabelData(data="criteo_balanced", **_ADS)
CRITEO_HASHED: Final = LabelData(data="criteo_hashed", **_ADS)


def passive(labels: int, **settings: Any) -> Reading:
    """Return the passive attack of the paper."""
    return Reading("passive", "model-completion", {"labels_per_class": labels, **COMPLETION, **settings})


def active(labels: int, **settings: Any) -> Reading:
    """Return the active attack of the paper."""
    return Reading("active", "active-completion", {"labels_per_class": labels, **COMPLETION, **settings})


def probe(labels: int) -> Reading:
    """Return logistic regression on the outputs of the bottom model."""
    return Reading("linear probe", "linear-probe", {"labels_per_class": labels})


def semi(labels: int) -> Reading:
    """Return the same learner with an untrained bottom model, the paper's "direct semi"."""
    return Reading("semi-supervised", "semi-supervised", {"labels_per_class": labels})


def of(reading: Reading, metric: str, part: Part, *, label: str | None = None) -> Reading:
    """Return another number of the same attack: ``top1``, ``f1``, ``auc``, ``blind``, ``ceiling`` or any other.

    The ceiling of the paper is what own columns tell with all labels, for training rows as well.

    >>> of(passive(4), "top1", "training").metric, of(passive(4), "top1", "test").metric
    (None, 'top1_new')
    >>> of(passive(4), "ceiling", "training").metric, of(passive(4), "ceiling", "test").metric
    ('top1_all_labels', 'ceiling_new')
    """
    metric = ALL_LABELS if (metric, part) == ("ceiling", TRAIN) else metric
    named = None if (metric, part) == ("top1", TRAIN) else f"{metric}{'_new' if part == TEST else ''}"
    return replace(reading, label=label or reading.label, metric=named)


def model_utility(reading: Reading, label: str = "model", measure: str = TOP1.name) -> Reading:
    """Return the worth of the joint model on test rows when an attack was run, by default its accuracy."""
    return replace(reading, label=label, metric=f"utility.{ACCURACY.name if measure == TOP1.name else measure}")


def attacks_on(dataset: LabelData, labels: int | None = None) -> tuple[Reading, Reading, Reading, Reading]:
    """Return both attacks, the linear probe and the semi-supervised learner, with so many labels of each class."""
    count = dataset.labels if labels is None else labels
    return passive(count, **dataset.learned), active(count, **dataset.learned), probe(count), semi(count)


def columns(dataset: LabelData, part: Part, ceiling: str = "ceiling") -> list[Reading]:
    """Return what is told of both attacks: top-1 beside simple attacks, a blind guess and a ceiling."""
    honest, malicious, probed, direct = attacks_on(dataset)
    return [
        *(of(reading, "top1", part) for reading in (honest, malicious, probed)),
        of(malicious, "top1_linear_probe", part, label="probe after active"),
        of(direct, "top1", part),
        of(honest, "blind", part, label="blind"),
        of(honest, "ceiling", part, label=ceiling),
    ]


def basic_readings(dataset: LabelData) -> list[Reading]:
    """Return the attacks of Tables 2 to 4, which share their trainings where they share a folder."""
    made = [attacks_on(dataset, count) for count in dataset.counts or (dataset.labels,)]
    return [
        *(reading for honest, _, probed, direct in made for reading in (honest, probed, direct)),
        attacks_on(dataset)[1],
    ]


def label_plan(
    dataset: LabelData,
    readings: Sequence[Reading],
    *,
    seeds: int | None = None,
    partition: Mapping[str, Any] | None = None,
    defenses: Sequence[Variant] = (UNDEFENDED,),
) -> Plan:
    """Return a plan for every attack on one data set under every defense.

    Parameters
    ----------
    partition
        What is different in how columns are dealt.
    """
    return table_plan(
        [("split-network", dataset.model)],
        readings,
        data={"name": dataset.data, **({"rows": dataset.rows} if dataset.rows else {})},
        partition={**dataset.partition, **(partition or {})},
        scaling=dataset.scaling,
        split=dataset.split,
        defenses=defenses,
        seeds=seeds or dataset.seeds,
    )
