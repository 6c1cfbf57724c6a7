"""What lowers a leak, at a cost."""

from seepage.defenses.catalog import DEFENSES

__all__ = ["DEFENSES"]
