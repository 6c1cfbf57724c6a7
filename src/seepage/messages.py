"""What crosses between two parties, and the only road it can take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Protocol

import numpy as np

from seepage.shapes import Array, Rows

OUTSIDE_TRAINING: Final = -1
"""The epoch of messages that belong to prediction."""


class Kind(StrEnum):
    """What a message carries.

    Kinds are added together with the federation that sends them.
    """

    EMBEDDING = "embedding"
    GRADIENT = "gradient"
    PREDICTION = "prediction"
    ENCRYPTED = "encrypted"
    INSTANCE_SPACE = "instance-space"
    SPLIT_SUMS = "split-sums"
    SPLIT_CHOICE = "split-choice"
    CHILD_SPACES = "child-spaces"
    DIRECTION = "direction"
    PURITY = "purity"
    MODEL = "model"
    CORRELATION = "correlation"
    CURVATURE = "curvature"
    SETUP = "setup"
    ALIGNMENT = "alignment"
    REHEARSAL = "rehearsal"


class ModelKind(StrEnum):
    """What the parties' models make together, once each owner has released its part."""

    LINEAR = "linear model"
    NETWORK = "network"
    TREE = "tree"
    FOREST = "forest"
    BOOSTING = "boosted forest"


NETWORK_KINDS: Final = (Kind.EMBEDDING, Kind.GRADIENT, Kind.PREDICTION, Kind.MODEL, Kind.CORRELATION)
"""What crosses between the parties of a network federation."""

WEIGHTED_KINDS: Final = (*NETWORK_KINDS, Kind.CURVATURE)
"""What crosses where parties choose steps by how sharply the loss bends, and class weights decide on that."""

TREE_KINDS: Final = (
    Kind.ENCRYPTED,
    Kind.INSTANCE_SPACE,
    Kind.SPLIT_SUMS,
    Kind.SPLIT_CHOICE,
    Kind.CHILD_SPACES,
    Kind.DIRECTION,
    Kind.PURITY,
    Kind.PREDICTION,
    Kind.MODEL,
    Kind.CORRELATION,
)
"""What crosses between the parties of a tree federation."""


SEALED_KINDS: Final = frozenset({Kind.ENCRYPTED, Kind.SPLIT_SUMS, Kind.PURITY, Kind.CORRELATION})
"""What only one party has the key for: others carry it, and add it up, without being able to read it."""

TOLD: Final = frozenset({Kind.GRADIENT, Kind.CURVATURE, Kind.ENCRYPTED, Kind.PREDICTION})
"""What is told and not asked: the answer says that it came, and no more."""

SECRET: Final = frozenset({"sealed", "products", "statistics", "labels", "sums"})
"""What messages call ciphertexts."""


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """One thing said by one party to another.

    A request may carry nothing but row numbers ("send me the embeddings of
    these rows"); its payload is then empty.

    Parameters
    ----------
    epoch, step
        When it was sent; epoch −1 means outside training.
    rows
        Which rows it speaks about, in the order of the payload's first axis.
    payload
        Named arrays. They are shared with the sender in one process, so nobody
        may write into them.
    """

    kind: Kind
    sender: str
    receiver: str
    epoch: int
    step: int
    rows: Rows
    payload: Mapping[str, Array]

    def reply(self, payload: Mapping[str, Array], *, kind: Kind | None = None, rows: Rows | None = None) -> "Message":
        """Return what the receiver answers: of the same kind and about the same rows, unless it says otherwise."""
        rows = self.rows if rows is None else rows
        return Message(kind or self.kind, self.receiver, self.sender, self.epoch, self.step, rows, payload)


class Party(Protocol):
    """Whoever owns columns, a model and an optimizer, and answers requests."""

    @property
    def name(self) -> str:
        """The party's name in the partition."""
        ...

    def answer(self, message: Message) -> Message:
        """Do what the message asks, and reply."""
        ...


class Link(Protocol):
    """The only road between two parties: request, then reply. Ours name it as their base."""

    def post(self, message: Message) -> Callable[[], Message]:
        """Send the message, and return what waits for the reply: others can be asked in between."""
        ...

    def request(self, message: Message) -> Message:
        """Deliver the message and bring the reply back."""
        return self.post(message)()


def veiled(message: Message) -> Message:
    """Return a message as somebody without the key would record it: how much was sealed, not what.

    In the clear, numbers stand in for ciphertexts, which nobody but their owner could have read.
    """
    secret = {key: np.zeros_like(array) for key, array in message.payload.items() if key in SECRET}
    return replace(message, payload={**message.payload, **secret}) if secret else message
