"""What could be split, and which sums tell what it is worth."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Candidates:
    """Possible splits, node after node: known to the owner of the columns alone.

    Parameters
    ----------
    nodes
        Where the candidates of each node begin, and their number.
    columns, thresholds
        Rows with a value at or below the threshold go left.
    missing_left
        Where rows without a value go.
    """

    nodes: NDArray[np.int64]
    columns: NDArray[np.int32]
    thresholds: NDArray[np.float32]
    missing_left: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Recipe:
    """How what goes left is made of sums by run or bin, with additions alone.

    Lay out the sums in the order of `layout`, take running sums that begin anew
    at each of `blocks`, and pick `chosen`. A column with missing values is laid
    out twice, the second time with its missing rows first: running sums then
    tell what goes left when those go left too.

    Parameters
    ----------
    layout
        Empty where every sum is used once, in its place.
    """

    layout: NDArray[np.int64]
    blocks: NDArray[np.int64]
    chosen: NDArray[np.int64]
