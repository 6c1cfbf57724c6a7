"""Bring numbers to a common scale that was learned from the training rows alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from seepage.data.table import Column
from seepage.errors import BadTable
from seepage.shapes import Array, Matrix, Rows

ScalingKind: TypeAlias = Literal["standard", "minmax"]

LARGEST: Final = 1e100
"""Squares of larger numbers leave the range of float64."""

ROUNDING: Final = 1e-9
"""A deviation below this part of the mean is rounding, not variation."""

ROWS_AT_ONCE: Final = 2048
"""So many rows of pixels fit into the processor's cache, however wide the pictures are."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Fill what is missing, subtract `shift`, divide by `width`, and clip to [0, 1] where asked.

    A `fill` that is itself missing leaves gaps as they are.

    >>> Scale(fill=3.0, shift=1.0, width=4.0, clip=True).applied(np.array([1.0, np.nan, 9.0]))
    array([0. , 0.5, 1. ])
    """

    fill: float
    shift: float
    width: float
    clip: bool = False

    def applied(self, values: Array) -> Array:
        """Return the values on the new scale."""
        numbers = values.astype(np.float64)
        numbers[~np.isfinite(numbers)] = self.fill
        scaled = (numbers - self.shift) / self.width
        return np.asarray(scaled.clip(0.0, 1.0) if self.clip else scaled)


def learned_scale(column: Column, train: Rows, kind: ScalingKind) -> Scale:
    """Learn from the training rows of one column; the public limits of a column come first.

    A column that does not vary is only shifted, so that it becomes 0.
    """
    seen = column.values[train].astype(np.float64)
    held = seen[np.isfinite(seen)]
    fill = float(np.median(held)) if held.size else 0.0
    filled = np.where(np.isfinite(seen), seen, fill)
    if filled.size and np.abs(filled).max() > LARGEST:
        raise BadTable(
            f"Column '{column.name}' holds numbers as large as {np.abs(filled).max():.3g}, which cannot be scaled. "
            "Give it another unit, or take logarithms."
        )
    if kind == "standard":
        varies = filled.size > 0 and filled.min() < filled.max()  # rounding can give a constant a tiny deviation
        return Scale(fill, float(filled.mean()), float(filled.std()) if varies else 1.0)
    low, high = column.limits or (float(filled.min()), float(filled.max()))
    # An infinite width sends every value of a range without extent to 0.
    return Scale(fill, low, high - low if high > low else np.inf, clip=True)


def pixel_scales(columns: Sequence[Column], channels: Array, train: Rows, kind: ScalingKind) -> tuple[Array, Array]:
    """Return shift and width of every pixel: one pair for each channel.

    Scaling each pixel by its own deviation would blow up the noise of pixels at
    the rim, which are nearly always black.
    """
    if kind == "minmax":
        low, high = np.array([column.limits or _range(column.values[train]) for column in columns], dtype=float).T
        return low, np.where(high > low, high - low, np.inf)
    means, variances = np.array([_moments(column.values[train]) for column in columns]).T
    shift, width = np.empty(len(columns)), np.empty(len(columns))
    for channel in np.unique(channels):
        own = channels == channel
        shift[own] = means[own].mean()
        spread = np.sqrt(np.mean(variances[own] + (means[own] - means[own].mean()) ** 2))
        width[own] = spread if spread > ROUNDING * abs(means[own].mean()) else 1.0
    return shift, width


def scaled_pixels(columns: Sequence[Column], shift: Array, width: Array, *, clip: bool) -> Matrix:
    """Scale all pixels block by block, so that only the result is ever held as real numbers."""
    rows = len(columns[0].values)
    matrix = np.empty((rows, len(columns)), dtype=np.float32)
    low, factor = shift.astype(np.float32), (1.0 / width).astype(np.float32)
    for start in range(0, rows, ROWS_AT_ONCE):
        block = matrix[start : start + ROWS_AT_ONCE]
        pixels = [column.values[start : start + ROWS_AT_ONCE] for column in columns]
        np.stack(pixels, axis=1, out=block, casting="unsafe")
        block -= low
        block *= factor
        if clip:
            np.clip(block, 0.0, 1.0, out=block)
    return matrix


def _range(values: Array) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _moments(values: Array) -> tuple[float, float]:
    numbers = values.astype(np.float64)
    return float(numbers.mean()), float(numbers.var())
