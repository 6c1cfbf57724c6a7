"""What an adversary can make of its view."""

from seepage.attacks.attack import Attack
from seepage.attacks.catalog import ATTACKS

__all__ = ["ATTACKS", "Attack"]
