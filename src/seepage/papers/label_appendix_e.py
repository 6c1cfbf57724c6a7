"""Appendix E of paper 001: from inferred diagnoses to a column of another party.

The adversary completes its bottom model with 40 labelled rows, and uses the diagnoses that it infers, beside its own
columns, to guess *mean radius* from 40 known values. The paper calls the result "top-1 accuracy" without saying
how a radius was cut into classes; here it is the share of the column's variance that the guess explains.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.papers.label_setting import BREAST_CANCER, interval, label_plan, passive, probe, shown, worth
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import Reading, seeds_of, why_not

ASKED: Final = "mean radius"
_WITHOUT: Final = "mse_own_columns_and_known_values"
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


def chain(labels: str) -> Reading:
    """Return the attack on the column that uses labels inferred by another one."""
    settings = {"labels": labels, "labels_per_class": BREAST_CANCER.labels, "known": 40, "columns": [ASKED]}
    return Reading(f"radius, labels by {labels}", "label-chain", settings)


CHAINS: Final = (chain("model-completion"), chain("linear-probe"))
DIAGNOSES: Final = (passive(BREAST_CANCER.labels), probe(BREAST_CANCER.labels))


@dataclass(frozen=True)
class ChainTable:
    """Diagnoses that are inferred, and what they add to a guess of another party's column."""

    title: str
    note: str
    page: str
    seeds: int = 10

    @property
    def data(self) -> tuple[str, ...]:
        """The data set."""
        return (BREAST_CANCER.data,)

    def lines(self, order: Order) -> list[Line]:
        """Train once for each set of own columns and seed."""
        theirs = {"passive": "0.8632", "model": "0.9510"}
        headings = [
            *(reading.label for reading in DIAGNOSES),
            "radius, no labels",
            *(one.label for one in CHAINS),
            "model",
        ]
        cells = {
            "own columns": "15",
            "whose": "paper",
            "seeds": "",
            **{name: theirs.get(name, "") for name in headings},
        }
        cells["remark"] = "radius: top-1 0.6443 without, 0.7237 with inferred labels"
        lines = [Line(tuple(cells), tuple(cells.values()))]
        for number, (label, own) in enumerate(OWN.items(), start=1):
            partition = {"kind": "named", "columns": {"active": list(VICTIM), "passive": list(own)}}
            plan = label_plan(BREAST_CANCER, order, [*DIAGNOSES, *CHAINS], seeds=self.seeds, partition=partition)
            lines.append(_line(label, order.run(plan, f"{BREAST_CANCER.folder}/appendix-e-{number}")))
        return lines


def _line(label: str, mine: Sequence[Finding]) -> Line:
    cells = {
        "own columns": label,
        "whose": "ours",
        "seeds": str(seeds_of(mine)),
        **{reading.label: shown(reading, mine) for reading in DIAGNOSES},
        "radius, no labels": interval([explained(found, _WITHOUT) for found in CHAINS[0].among(mine)]),
        **{one.label: interval([explained(found) for found in one.among(mine)]) for one in CHAINS},
        "model": shown(worth(DIAGNOSES[0]), mine),
        "remark": why_not(mine),
    }
    return Line(tuple(cells), tuple(cells.values()))


def explained(found: Finding, metric: str | None = None) -> float:
    """Return the share of the column's variance that a guess explains: 1 less its error over the variance."""
    error = found.value if metric is None else found.other_metrics[metric]
    assert error is not None
    return 1 - error / found.other_metrics[f"variance[{ASKED}]"]


TABLE: Final = ChainTable(
    title="Appendix E of paper 001: from inferred diagnoses to the mean radius",
    note=(
        "passive, linear probe: top-1 of the diagnosis with 20 labels of each class. radius: share of its variance "
        "that is explained, with own columns and 40 known values alone, and with inferred labels beside. Mean and 95 % "
        "interval over seeds."
    ),
    page="label-inference.md",
)
