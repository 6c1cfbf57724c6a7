"""What attacks that are made up for a test have in common."""

from dataclasses import dataclass
from typing import ClassVar

from seepage.views import Needs


@dataclass(frozen=True)
class OnLabels:
    """Would steal the labels of training rows, if it had a `run`."""

    name: ClassVar = "made-up"
    steals: ClassVar = "labels"
    role: ClassVar = "attack"
    rows: ClassVar = "train"
    tampering: ClassVar = None
    needs: ClassVar = Needs()
