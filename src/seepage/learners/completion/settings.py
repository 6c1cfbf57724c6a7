"""What attacks that complete a bottom model are told, and whether it makes sense."""

import math
from typing import Final, Literal, TypeAlias, get_args

from seepage.learners.completion.mixmatch import MixMatch

BottomKind: TypeAlias = Literal["auto", "frozen", "tuned"]
FROZEN: Final = MixMatch(epochs=40, iterations=50, patience=3)
"""Under a frozen bottom model: up to 2,000 steps, for as long as the labelled rows are told better and better."""
TUNED: Final = MixMatch()
"""Where the bottom model learns on: 300 steps. It learns the labelled rows by heart: their loss ends nothing."""
LABELS_PER_CLASS: Final = 4
BOTTOM_LEARNING_RATE: Final = 1e-4
"""A twentieth of the head's or less: at the head's own rate, fine-tuning destroys what the bottom model has learned."""


def check_completion(labels_per_class: int, bottom: str, bottom_learning_rate: float) -> None:
    """Refuse settings under which nothing could be completed."""
    check_labels(labels_per_class)
    check_bottom(bottom, bottom_learning_rate)


def check_labels(labels_per_class: int) -> None:
    """Refuse to learn from no labels."""
    if labels_per_class < 1:
        raise ValueError(f"labels_per_class must be 1 or more, got {labels_per_class}")


def check_bottom(bottom: str, bottom_learning_rate: float) -> None:
    """Refuse what is no way to treat a bottom model, and a rate at which it could not be tuned."""
    if bottom not in get_args(BottomKind):
        raise ValueError(f"bottom must be one of {', '.join(get_args(BottomKind))}, got {bottom!r}")
    if not 0 < bottom_learning_rate < math.inf:
        raise ValueError(f"bottom_learning_rate must be above 0 and finite, got {bottom_learning_rate}")
