"""What all parties know because they signed for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from seepage.messages import NETWORK_KINDS, Kind, ModelKind
from seepage.withholding import unless_withheld, what_is_left


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The public terms of one federation, known to every party before the first message.

    Parameters
    ----------
    classes
        How many classes the labels have.
    top_model
        Whether the active party puts a model of its own on top of what the
        parties send. Without one, gradients come back for the logits themselves.
    outputs
        How many numbers a party sends for each row.
    settings
        The federation's settings, as the parties agreed on them.
    kinds
        The kinds of messages that cross between the parties.
    model
        What the released models make together; None where no model is released.
    """

    federation: str
    parties: tuple[str, ...]
    active: str
    classes: int
    top_model: bool
    outputs: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    kinds: tuple[Kind, ...] = NETWORK_KINDS
    model: ModelKind | None = None

    if not TYPE_CHECKING:  # a type checker would take any attribute for granted
        __getattribute__ = unless_withheld
    __repr__ = what_is_left

    @property
    def passive(self) -> tuple[str, ...]:
        """All parties but the active one."""
        return tuple(party for party in self.parties if party != self.active)
