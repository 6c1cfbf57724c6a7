"""What a generator can be told, and how large it is for so many predictions."""

import math
from typing import Final, Literal, TypeAlias

Decay: TypeAlias = Literal["cosine", "none"]
Inputs: TypeAlias = Literal["both", "own", "noise"]
Dummies: TypeAlias = Literal["own-rows", "whole-space"]
FULL_SIZE: Final = 4000
"""From so many predictions on, generators have all of their widths and steps."""
LEAST_SIZE: Final = 0.25
LEAST_STEPS: Final = 2 / 3
"""The least shares of widths and of steps, however few predictions there are."""


def generator_size(predictions: int) -> float:
    """Return the share of its full widths that a generator needs to learn from so many predictions.

    >>> generator_size(114), generator_size(1000), generator_size(20_000)
    (0.25, 0.5, 1.0)
    """
    return min(1.0, max(LEAST_SIZE, math.sqrt(predictions / FULL_SIZE)))
