"""What an adversary can make of its view."""

from typing import TYPE_CHECKING

from seepage.attacks.catalog import ATTACKS
from seepage.lazily import lazily

if TYPE_CHECKING:
    from seepage.attacks.attack import Attack

__all__ = ["ATTACKS", "Attack"]

if not TYPE_CHECKING:  # a type checker would take every name for granted
    __getattr__ = lazily(__name__, "attack")
