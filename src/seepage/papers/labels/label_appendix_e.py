"""Appendix E of paper 001: from inferred diagnoses to a column of another party.

The adversary completes its bottom model with 40 labelled rows, and uses the diagnoses that it infers, beside its own
columns, to guess *mean radius* from 40 known values, by a network as in the paper and by ridge regression. The paper
calls the result "top-1 accuracy" without saying how a radius was cut into classes; here it is how often a guess lies in
the right quarter of the rows, and the share of the column's variance that the guess explains.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from seepage.audit.findings.finding import Finding
from seepage.papers.labels.label_setting import (
    BREAST_CANCER,
    TOLD,
    LabelData,
    label_plan,
    model_utility,
    passive,
    probe,
)
from seepage.papers.order import Order
from seepage.papers.readings import Reading, interval, intervals
from seepage.papers.rows import our_row, printed_row
from seepage.papers.table import Cells, Table

ASKED: Final = "mean radius"
_SHAPE: Final = ("texture", "smoothness", "compactness", "symmetry", "fractal dimension")
_OTHER_SHAPE: Final = ("concavity", "concave points")
_FIRST_ERRORS: Final = ("radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity")
_LAST_ERRORS: Final = ("concave points", "symmetry", "fractal dimension")
_WORST: Final = ("radius", "texture", "perimeter", "area", *_SHAPE[1:3], *_OTHER_SHAPE, *_SHAPE[3:])

VICTIM: Final = (ASKED, *(f"{name} error" for name in _LAST_ERRORS), *(f"worst {name}" for name in _WORST))
OWN: Final[dict[str, tuple[str, ...]]] = {
    "14, as in the authors' code": (
        *(f"mean {name}" for name in (*_SHAPE, *_OTHER_SHAPE)),
        *(f"{name} error" for name in _FIRST_ERRORS),
    ),
    "5 that measure no size": tuple(f"mean {name}" for name in _SHAPE),
    "2 that measure no size": ("mean texture", "mean symmetry"),
}
"""What the adversary holds; the victim's columns stay the same."""
_CHAINED: Final = {"labels_per_class": BREAST_CANCER.labels, "known": 40, "columns": [ASKED]}
_WITH: Final[Mapping[str, Mapping[str, Any]]] = {
    "no labels": {"with_labels": False},
    "labels by model-completion": {"labels": "model-completion"},
    "labels by linear-probe": {"labels": "linear-probe"},
}
"""What the guess of the column is helped by: nothing, or labels that another attack infers."""
CHAINS: Final = tuple(
    Reading(f"{regression}, {told}", "label-chain", {**_CHAINED, "regression": regression, **settings})
    for regression in ("ridge", "network")
    for told, settings in _WITH.items()
)
DIAGNOSES: Final = (passive(BREAST_CANCER.labels), probe(BREAST_CANCER.labels))


def chained(asked: Sequence[LabelData], order: Order) -> Iterator[Cells]:
    """Diagnoses that are inferred, and what they add to a guess of another party's column."""
    printed = TOLD["appendix-e"]["printed"]
    yield {**printed_row({"own columns": "15"}, printed["numbers"]), "remark": printed["remark"]}
    for data in asked:
        for number, (label, own) in enumerate(OWN.items(), start=1):
            partition = {"kind": "named", "columns": {"active": list(VICTIM), "passive": list(own)}}
            plan = label_plan(data, [*DIAGNOSES, *CHAINS], seeds=10, partition=partition)
            mine = order.run(plan, f"{data.folder}/appendix-e-{number}")
            numbers = {
                **intervals(DIAGNOSES, mine),
                **{f"variance, {one.label}": explained(one, mine) for one in CHAINS},
                **intervals([quarter(one) for one in CHAINS], mine),
                **intervals([model_utility(DIAGNOSES[0])], mine),
            }
            yield our_row({"own columns": label, "whose": "ours"}, numbers, mine)


def quarter(reading: Reading) -> Reading:
    """Return how often a guess lies in the same quarter of the rows as the truth: top-1 of four classes."""
    return replace(reading, label=f"quarter, {reading.label}", metric=f"quarter[{ASKED}]")


def explained(reading: Reading, findings: Sequence[Finding]) -> str:
    """Write the share of the column's variance that a guess explains: 1 less its error over the variance."""
    error = reading.by_seed(findings)
    variance = replace(reading, metric=f"variance[{ASKED}]").by_seed(findings)
    return interval([1 - error[seed] / variance[seed] for seed in error])


APPENDIX_E: Final = Table.told(TOLD["appendix-e"], datasets=(BREAST_CANCER,), rows=chained)
