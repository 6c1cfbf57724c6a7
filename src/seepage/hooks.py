"""Where a defense or a tampering may act on a party's own part of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from numpy.random import Generator

from seepage.messages import Kind, Message
from seepage.partition import OwnPart
from seepage.shapes import Labels, Rows

if TYPE_CHECKING:
    import torch

T = TypeVar("T")


class Seam(StrEnum):
    """The places where a defense may act.

    Seams are added together with the federation that offers them.
    """

    TABLE = "table"
    LABELS = "labels"
    MESSAGE = "message"
    RELEASE = "release"
    MODEL = "model"


def unchanged(thing: T) -> T:
    """Leave a seam alone."""
    return thing


@dataclass(frozen=True, kw_only=True)
class Hook:
    """What one defense does for one party during one run.

    Each field takes what the party would have used and returns what it uses
    instead; a field that is not given leaves its seam alone.

    Parameters
    ----------
    table
        Rewrites the party's own columns before training.
    labels
        Rewrites the labels that the active party trains on.
    message
        Rewrites a training message that this party is about to send.
    release
        Rewrites a prediction that the active party is about to release.
    model
        Rewrites the party's own network before training.
    """

    table: Callable[[OwnPart], OwnPart] = unchanged
    labels: Callable[[Labels], Labels] = unchanged
    message: Callable[[Message], Message] = unchanged
    release: Callable[[Message], Message] = unchanged
    model: Callable[[Any], Any] = unchanged


def on_message(kind: Kind, rewrite: Callable[[Message], Message]) -> Hook:
    """Return a hook that rewrites messages of one kind that carry something."""

    def act(message: Message) -> Message:
        return rewrite(message) if message.kind is kind and message.payload else message

    return Hook(message=act)


class Defense(Protocol):
    """Lowers what a run gives away. Each party runs its own copy on its own part."""

    acts_on: ClassVar[frozenset[Seam]]

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run; the hook holds what this run has to remember."""
        ...


def begin(defense: Defense, own_part: OwnPart, rng: Generator) -> Hook:
    """Start a defense for one party, and see that it acts only where it says that it does."""
    hook = defense.start(own_part, rng)
    for seam in Seam:
        if seam not in defense.acts_on and getattr(hook, seam.value) is not unchanged:
            raise ValueError(f"{type(defense).__name__} acts on {seam} without saying so in acts_on")
    return hook


class Tampering(Protocol):
    """What a malicious party does to its *own* part during training."""

    def optimizer(self, parameters: Iterable[torch.nn.Parameter]) -> torch.optim.Optimizer | None:
        """Return the optimizer to use instead of the agreed one; None keeps it."""
        ...

    def labels(self, labels: Labels) -> Labels:
        """Return the labels to train on instead of the true ones."""
        ...

    def extra_loss(self, embedding: torch.Tensor, rows: Rows) -> torch.Tensor | None:
        """Return a loss to add to the party's own bottom model; None adds nothing."""
        ...


@dataclass(frozen=True)
class Hooks:
    """All that acts on one run: the agreed defense at every party, and who misbehaves."""

    defenses: Mapping[str, Hook] = field(default_factory=dict)
    tamperings: Mapping[str, Tampering] = field(default_factory=dict)

    def of(self, party: str) -> Hook:
        """Return the hook of one party."""
        return self.defenses.get(party, Hook())

    def tampering(self, party: str) -> Tampering | None:
        """Return what one party does besides; None for those who behave."""
        return self.tamperings.get(party)
