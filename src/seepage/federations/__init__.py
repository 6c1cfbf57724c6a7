"""How parties train and predict together."""

from typing import TYPE_CHECKING

from seepage.federations.catalog import FEDERATIONS
from seepage.lazily import lazily

if TYPE_CHECKING:
    from seepage.federations.federation import Federation
    from seepage.federations.run import Run

__all__ = ["FEDERATIONS", "Federation", "Run"]

if not TYPE_CHECKING:  # a type checker would take every name for granted
    __getattr__ = lazily(__name__, "federation", "run")
