"""Which settings a generator can be trained with, and how large it is for so many predictions."""

import math
from typing import Final

COUNTS: Final = {"steps": 1, "batch": 2, "draws": 1, "restarts": 0, "predictions": 2, "fade_steps": 0}
LEAST: Final = COUNTS | {
    "dummy_rows": 2,
    "surrogate_steps": 1,
    "variance_weight": 0,
    "variance_limit": 0,
    "half_weight": 0,
}
CHOICES: Final = {
    "decay": ("cosine", "none"),
    "inputs": ("both", "own", "noise"),
    "dummies": ("own-rows", "whole-space"),
}
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


def check_generator_settings(attack: object) -> None:
    """Refuse settings of an attack that no generator could be trained with."""
    for name, least in LEAST.items():
        value = getattr(attack, name)
        if value is not None and not least <= value < math.inf:
            raise ValueError(f"{name} must be {least} or more, got {value}")
    for name in ("size", "half_end"):
        value = getattr(attack, name)
        if value is not None and not 0 < value <= 1:
            raise ValueError(f"{name} must be above 0 and at most 1, got {value}")
    for name in ("learning_rate", "start"):
        if not 0 < getattr(attack, name) < math.inf:
            raise ValueError(f"{name} must be above 0, got {getattr(attack, name)}")
    for name, known in CHOICES.items():
        if getattr(attack, name) not in known:
            raise ValueError(f"{name} must be {' or '.join(known)}, got '{getattr(attack, name)}'")
    for name in ("hidden", "surrogate_hidden"):
        if not getattr(attack, name) or min(getattr(attack, name)) < 1:
            raise ValueError(f"{name} must be widths of 1 or more, got {getattr(attack, name)}")
