"""What columns and labels have to do with a property, in the data as they were dealt."""

import numpy as np

from seepage.audit.plan.plan import Plan
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.preflight import setting_of
from seepage.data import Property
from seepage.papers.properties.property_setting import C1, adversary_of
from seepage.papers.readings import Spread
from seepage.shapes import Array, Matrix


def correlations(plan: Plan) -> dict[str, tuple[Spread, Spread]]:
    """Return for each property the largest absolute correlation of an adversary's column, and that of the label."""
    found: dict[str, tuple[list[float], list[float]]] = {asked: ([], []) for asked in plan.properties}
    bench = Bench()
    for seed in plan.seeds:
        prepared = bench.prepared(setting_of(plan, seed))
        held = np.asarray(prepared.data.parts[adversary_of(C1)].features, dtype=np.float64)
        for asked, (columns, labels) in found.items():
            has = Property.parse(asked).rows_of(prepared.table).astype(np.float64)
            columns.append(float(np.abs(correlated(held, has)).max()))
            labels.append(float(correlated(prepared.data.labels[:, None].astype(np.float64), has)[0]))
    return {asked: (Spread.of(columns), Spread.of(labels)) for asked, (columns, labels) in found.items()}


def correlated(columns: Matrix, target: Array) -> Array:
    """Return Pearson's correlation of each column with a target; 0 for a column that never changes.

    >>> columns = np.array([[0.0, 3.0, 1.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]])
    >>> correlated(columns, np.array([0.0, 1.0, 2.0])).round(3)
    array([ 1., -1.,  0.])
    """
    centered, aim = columns - columns.mean(axis=0), target - target.mean()
    lengths = np.linalg.norm(centered, axis=0) * np.linalg.norm(aim)
    return np.asarray(np.divide(aim @ centered, lengths, out=np.zeros(columns.shape[1]), where=lengths > 0))
