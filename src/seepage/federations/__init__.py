"""How parties train and predict together."""

from seepage.federations.catalog import FEDERATIONS
from seepage.federations.federation import Federation, Run

__all__ = ["FEDERATIONS", "Federation", "Run"]
