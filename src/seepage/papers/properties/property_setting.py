"""What all experiments of paper 000 have in common: data sets, properties, networks and auxiliary rows.

Columns are one-hot and standardized, rows are split 80/20, and whole attributes
are dealt evenly between two parties, anew for every seed; the attributes of
properties go to the victim. In case C1 the active party attacks the passive one, in case C2 it
is the other way round. The adversary knows 2,000 rows with the property and 2,000 without. All
properties of a data set are asked about in the same training, unless the adversary misbehaves in it.

From the authors' code: one hidden layer of 32 units and 16 outputs at each
party, a top model with one hidden layer of 16, SGD without momentum, weight decay
3e-5, batches of 64, and the rates and epochs below. Their rate of the bottom
models falls by 3 % with every epoch; ours stays. The 239,000 training rows of
census come in batches of 256 with four times the rate, and so do those of health.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import DataPlan, Plan
from seepage.audit.stages.preparation import load_table
from seepage.errors import DataUnavailable
from seepage.papers.described import described
from seepage.papers.plans import UNDEFENDED, Variant, table_plan
from seepage.papers.readings import Reading

TOLD: Final = described("properties")
"""Table → its words, and what the paper prints."""
Case: TypeAlias = Literal["C1", "C2"]
C1: Final = "C1"
C2: Final = "C2"
CASES: Final[tuple[Case, ...]] = (C1, C2)

KNOWN: Final[Mapping[str, Any]] = {"auxiliary": {"rows": 2000}}
"""What every attack of the paper knows."""

AIA: Final = Reading("AIA", "attribute-inference", KNOWN)
PROVFL_B: Final = Reading("ProVFL-B", "distribution-comparison", KNOWN)
PROVFL_M: Final = Reading("ProVFL-M", "correlation-augmentation", KNOWN)
COUNT: Final = Reading("adjusted-count", "adjusted-count", KNOWN)
DIGITS: Final = 4
"""How many decimals are printed."""


def own_columns(reading: Reading, label: str = "own columns") -> Reading:
    """Return the error of adjusted counting on what the adversary held before, without any federation."""
    return replace(reading, label=label, metric="error_adjusted_counting_on_own_columns")


def one_half(reading: Reading) -> Reading:
    """Return the error of the answer ½, as it stands beside an attack."""
    return replace(reading, label="½", metric="error_one_half")


def auc(reading: Reading, label: str | None = None) -> Reading:
    """Return the AUC of the joint model when an attack was run."""
    return replace(reading, label=label or f"AUC, {reading.label}", metric="utility.auc")


@dataclass(frozen=True)
class PropertyData:
    """A data set, what is asked about it, and how its network is trained.

    Parameters
    ----------
    properties
        The paper's abbreviation of each property → the property.
    seeds
        How many seeds where a table does not say otherwise.
    remark
        In what the data are not the paper's.
    in_order
        Whether the victim holds the first half of the columns instead of a random
        one: for tables in which an attribute is spread over several columns.
    """

    data: str
    properties: Mapping[str, str]
    learning_rate: float
    epochs: int
    batch: int = 64
    seeds: int = 10
    remark: str = ""
    in_order: bool = False

    @property
    def label(self) -> str:
        """What to call the data in a table."""
        return f"{self.data} ({self.remark})" if self.remark else self.data

    @property
    def model(self) -> dict[str, Any]:
        """The settings of the network."""
        optimizer = {"name": "sgd", "learning_rate": self.learning_rate, "momentum": 0.0, "weight_decay": 3e-5}
        layers = {"hidden": [32], "cut": 16, "top": [16]}
        return {**layers, "epochs": self.epochs, "batch": self.batch, "optimizer": optimizer}

    def partition(self, case: Case) -> dict[str, Any]:
        """Return who holds which columns: dealt at random, or the first half to the victim."""
        try:
            names = load_table(DataPlan(name=self.data)).column_names if self.in_order else ()
        except DataUnavailable:
            names = ()  # whoever runs the plan says so
        if not names:
            return {}
        first, second = list(names[: len(names) // 2]), list(names[len(names) // 2 :])
        active, passive = (second, first) if case == C1 else (first, second)
        return {"kind": "named", "columns": {"active": active, "passive": passive}}


ADULT: Final = PropertyData(
    "adult_distinct", {"A-sex": "sex=Male", "A-race": "race=White", "A-work": "workclass=Private"}, 0.01, 20
)
BANK: Final = PropertyData(
    "bank_full", {"B-month": "month=may", "B-mart": "marital=married", "B-cont": "contact=telephone"}, 0.05, 30
)
CENSUS: Final = PropertyData(
    "census",
    {"C-sex": "sex=Female", "C-race": "race=Black", "C-edu": "education=Bachelors degree(BA AB BS)"},
    learning_rate=0.02,
    epochs=30,
    batch=256,
    seeds=3,
)
HEALTH: Final = PropertyData(
    "health",
    {"H-sex": "sexFEMALE=1", "H-age": "age_85=1"},
    learning_rate=0.04,
    epochs=30,
    batch=256,
    seeds=3,
    remark="another aggregation",
    in_order=True,
)


def adversary_of(case: Case, parties: int = 2) -> str:
    """Return who attacks: the active party, or the first passive one.

    >>> adversary_of("C1"), adversary_of("C2"), adversary_of("C2", parties=3)
    ('active', 'passive', 'passive-1')
    """
    if case == C1:
        return "active"
    return "passive" if parties == 2 else "passive-1"


def property_plan(
    dataset: PropertyData,
    readings: Sequence[Reading],
    *,
    seeds: int,
    case: Case = C1,
    properties: Sequence[str] | None = None,
    partition: Mapping[str, Any] | None = None,
    defenses: Sequence[Variant] = (UNDEFENDED,),
) -> Plan:
    """Return a plan for one case: every attack on all properties under every defense.

    Parameters
    ----------
    properties
        Abbreviations of those that are asked about; by default all of the data set.
    partition
        What is different in how columns are dealt.
    """
    dealt = {**dataset.partition(case), **(partition or {})}
    return table_plan(
        [("split-network", dataset.model)],
        readings,
        data={"name": dataset.data},
        partition=dealt,
        adversary=[adversary_of(case, dealt.get("parties", 2))],
        properties=[dataset.properties[name] for name in properties or dataset.properties],
        encoding="one-hot",
        scaling="standard",
        defenses=defenses,
        seeds=seeds,
    )


def of_property(findings: Sequence[Finding], asked: str) -> list[Finding]:
    """Return the findings about one property."""
    return [found for found in findings if found.property == asked]
