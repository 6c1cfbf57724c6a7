"""What an adversary does in training, in words that two attacks can be compared by."""

from dataclasses import fields
from typing import Any, cast

from seepage.attacks import Attack
from seepage.attacks.attack import AFTER_TRAINING


def misbehavior(attack: Attack[Any]) -> str | None:
    """Write an attack with the settings that act in training; None for one that behaves there.

    Examples
    --------
    >>> from seepage.attacks.labels.active_completion import ActiveCompletion
    >>> misbehavior(ActiveCompletion(labels_per_class=10))
    'ActiveCompletion(acceleration=Acceleration(...))'
    """
    if attack.tampering is None:
        return None
    acting = [one.name for one in fields(cast("Any", attack)) if not AFTER_TRAINING.items() <= one.metadata.items()]
    return f"{type(attack).__name__}({', '.join(f'{name}={getattr(attack, name)!r}' for name in acting)})"
