"""Names for the arrays that cross folders."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
"""Any NumPy array."""

Matrix: TypeAlias = NDArray[np.floating[Any]]
"""Rows by columns of real numbers."""

Floats: TypeAlias = NDArray[np.float64]
"""Numbers in double precision, of any shape."""

Integers: TypeAlias = NDArray[np.int64]
"""Whole numbers: places, heap numbers, sums."""

Singles: TypeAlias = NDArray[np.float32]
"""Numbers in single precision, as trees and small networks take them."""

Integers32: TypeAlias = NDArray[np.int32]
"""Whole numbers in half the memory."""

Sides: TypeAlias = NDArray[np.int8]
"""1 for the left of a split, −1 for the right, 0 where there is nothing to say."""

Rows: TypeAlias = NDArray[np.int64]
"""Row numbers in the aligned table that all parties share."""

NO_ROWS: Rows = np.zeros(0, dtype=np.int64)
"""What a message about no row in particular speaks of."""

Labels: TypeAlias = NDArray[np.int64]
"""One class index for each row."""

Counts: TypeAlias = NDArray[np.int64]
"""How many rows, by node and class or the like."""

Mask: TypeAlias = NDArray[np.bool_]
"""One yes or no for each row."""
