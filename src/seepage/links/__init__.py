"""How a message travels."""

from seepage.links.in_process import InProcessLink

__all__ = ["InProcessLink"]
