"""Terms, parts and tables that are put together by hand."""

from typing import Any

import numpy as np

from seepage.data.table import Column, Table
from seepage.partition import OwnPart
from seepage.transcript import Agreement


def agreed(federation: str = "ours", parties: tuple[str, ...] = ("bank", "shop"), **changes: Any) -> Agreement:
    """Return what parties agreed on, the first of whom holds labels of two classes."""
    usual = {"classes": 2, "top_model": True, "outputs": 2}
    return Agreement(federation=federation, parties=parties, active=parties[0], **{**usual, **changes})


def own_part(party: str, features: np.ndarray, names: tuple[str, ...] | None = None, **others: Any) -> OwnPart:
    """Return what a party holds; its columns are called c0, c1 and so on, unless they are named."""
    names = tuple(f"c{place}" for place in range(features.shape[1])) if names is None else names
    return OwnPart(party, names, features, names, np.arange(len(names)), **others)


def table_of(*columns: Column, name: str = "t") -> Table:
    """Put columns side by side; every other row is of the second class."""
    rows = np.arange(len(columns[0].values))
    return Table(name, columns, rows % 2, ("no", "yes"), rows)
