"""Which rows take part, once every party has agreed to them."""

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

import numpy as np

from seepage.errors import BadSetting
from seepage.hooks import Hook
from seepage.partition import PartitionedTable


def aligned(data: PartitionedTable, hooks: Mapping[str, Hook]) -> PartitionedTable:
    """Leave out training rows that a party withdraws after ids were aligned and before training begins.

    Every party learns which rows are left. Rows that wait for predictions stay.
    """
    kept = [hook.alignment(data.train) for hook in hooks.values()]
    rows = reduce(np.intersect1d, kept, data.train)
    if len(rows) == len(data.train):
        return data
    if len(np.unique(data.labels[rows])) < len(np.unique(data.labels[data.train])):
        raise BadSetting("So many rows were withdrawn that a class has none left. Withdraw a smaller share.")
    parts = {party: replace(part, train=rows.copy()) for party, part in data.parts.items()}
    return replace(data, train=rows, parts=parts)
