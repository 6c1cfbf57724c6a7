"""How a message travels."""

from collections.abc import Callable
from typing import TypeAlias

from seepage.links.in_process import InProcessLink
from seepage.messages import Link, Message, Party

MakeLink: TypeAlias = Callable[[Party, Callable[[Message], None]], Link]
"""From a party and who listens on the wire to the road that leads to it."""

__all__ = ["InProcessLink", "MakeLink"]
