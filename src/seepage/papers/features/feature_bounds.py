"""Table II of paper 002 and its bounds on equality solving: what data sets are, before anything is trained."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from seepage.data import Encoding, encode
from seepage.errors import DataUnavailable
from seepage.papers.features.feature_setting import DATASETS, SHOWN, SYNTHETIC, TOLD, FeatureData
from seepage.papers.order import Order
from seepage.papers.readings import NOTHING
from seepage.papers.table import Cells, Table
from seepage.scores.bounds.equality_solving import nearest_to_zero_bound


def bounds(asked: Sequence[FeatureData], order: Order) -> Iterator[Cells]:
    """Eq. 15 over all columns, each moved into [0, 1] by all rows, beside what the paper says."""
    del order  # nothing is drawn and nothing is trained
    for data in asked:
        printed = NOTHING if data.bound is None else f"{data.bound:.2f}"
        told = {**_sized(*data.size), "classes": str(data.classes), "Eq. 15": printed}
        yield {"data": data.data, "whose": "paper", **told}
        yield {"data": data.data, "whose": "ours", **_measured(data)}


def _measured(data: FeatureData) -> Cells:
    try:
        table = data.rows
    except DataUnavailable as error:
        return {"rows": NOTHING, "columns": NOTHING, "classes": NOTHING, "Eq. 15": NOTHING, "remark": error.brief}
    values = encode(table, np.arange(table.rows), Encoding(kind="ordinal", scaling="minmax")).matrix
    return {
        **_sized(table.rows, len(table.columns)),
        "classes": str(len(table.classes)),
        "Eq. 15": f"{nearest_to_zero_bound(values):.4f}",
        "remark": "",
    }


def _sized(rows: int, columns: int) -> dict[str, str]:
    return {"rows": f"{rows:,}", "columns": str(columns)}


BOUNDS: Final = Table.told(TOLD["bounds"], datasets=(*DATASETS, *SYNTHETIC), shown=(*SHOWN, DATASETS[-1]), rows=bounds)
