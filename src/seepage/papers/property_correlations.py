"""Table VI of paper 000: attribute inference on raw columns, and what columns have to do with the property."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from seepage.audit.plan.plan import Plan
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.preflight import setting_of
from seepage.data import Property
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.property_setting import (
    AIA,
    BANK,
    C1,
    COUNT,
    KNOWN,
    PROVFL_B,
    adversary_of,
    own_columns,
    property_plan,
)
from seepage.papers.property_table import DIGITS, PropertyTable, errors
from seepage.papers.readings import Spread
from seepage.shapes import Array, Matrix

COLUMN: Final = "largest correlation, columns"
LABEL: Final = "correlation, label"


@dataclass(frozen=True)
class CorrelationTable:
    """A table of attacks, with the correlations of each property beside them.

    They describe the data as they were dealt under each seed, and take the truth; no attack has them.

    Parameters
    ----------
    attacks
        The table of attacks, on one data set.
    printed
        Abbreviation of a property → the paper's largest correlation of an
        adversary's column with it, and that of the label.
    """

    attacks: PropertyTable
    printed: dict[str, tuple[float, float]]

    @property
    def title(self) -> str:
        """What the paper calls it."""
        return self.attacks.title

    @property
    def note(self) -> str:
        """How to read it."""
        return self.attacks.note

    @property
    def page(self) -> str:
        """The page that discusses it."""
        return self.attacks.page

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return self.attacks.data

    def lines(self, order: Order) -> list[Line]:
        """Run the attacks, and write correlations at the end of every line."""
        (dataset,) = self.attacks.datasets
        seeds = self.attacks.seeds[dataset.data]
        plan = property_plan(dataset, order, [COUNT], case=C1, seeds=seeds)
        ours = correlations(plan)
        lines = []
        for line in self.attacks.lines(order):
            cells = dict(zip(line.headings, line.cells, strict=True))
            column, label = ours[dataset.properties[cells["property"]]]
            written = (column.written(DIGITS), label.written(DIGITS))
            if cells["whose"] == "paper":
                column_printed, label_printed = self.printed[cells["property"]]
                written = (f"{column_printed:.{DIGITS}f}", f"{label_printed:.{DIGITS}f}")
            lines.append(Line((*line.headings, COLUMN, LABEL), (*line.cells, *written)))
        return lines


def correlations(plan: Plan) -> dict[str, tuple[Spread, Spread]]:
    """Return for each property the largest absolute correlation of an adversary's column, and that of the label."""
    columns: dict[str, list[float]] = {asked: [] for asked in plan.properties}
    labels: dict[str, list[float]] = {asked: [] for asked in plan.properties}
    bench = Bench()
    for seed in plan.seeds:
        prepared = bench.prepared(setting_of(plan, seed))
        held = np.asarray(prepared.data.parts[adversary_of(C1)].features, dtype=np.float64)
        for asked in plan.properties:
            has = Property.parse(asked).rows_of(prepared.table).astype(np.float64)
            columns[asked].append(float(np.abs(correlated(held, has)).max()))
            labels[asked].append(float(correlated(prepared.data.labels[:, None].astype(np.float64), has)[0]))
    return {asked: (Spread.of(columns[asked]), Spread.of(labels[asked])) for asked in plan.properties}


def correlated(columns: Matrix, target: Array) -> Array:
    """Return Pearson's correlation of each column with a target; 0 for a column that never changes.

    >>> columns = np.array([[0.0, 3.0, 1.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]])
    >>> correlated(columns, np.array([0.0, 1.0, 2.0])).round(3)
    array([ 1., -1.,  0.])
    """
    centered, aim = columns - columns.mean(axis=0), target - target.mean()
    lengths = np.linalg.norm(centered, axis=0) * np.linalg.norm(aim)
    return np.asarray(np.divide(aim @ centered, lengths, out=np.zeros(columns.shape[1]), where=lengths > 0))


RAW: Final = replace(AIA, label="AIA*", settings={**KNOWN, "inputs": "columns"})

TABLE: Final = CorrelationTable(
    PropertyTable(
        title="Table VI of paper 000: attribute inference on raw columns",
        note=(
            "Absolute error of the fraction, mean±standard deviation over seeds. own columns: adjusted counting on the "
            "same columns, with the label. Correlations: the largest absolute one of the adversary's columns with the "
            "property, and that of the label."
        ),
        page="property-attacks.md",
        columns=errors(RAW, PROVFL_B, COUNT, own_columns(COUNT)),
        datasets=(BANK,),
        seeds={BANK.data: 5},
        printed={
            ("B-month", C1): {"AIA*": 0.1569, PROVFL_B.label: 0.0287},
            ("B-mart", C1): {"AIA*": 0.0753, PROVFL_B.label: 0.0372},
            ("B-cont", C1): {"AIA*": 0.2894, PROVFL_B.label: 0.1058},
        },
    ),
    printed={"B-month": (0.4259, -0.1050), "B-mart": (0.2875, -0.0554), "B-cont": (0.1637, 0.0131)},
)
