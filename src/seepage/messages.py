"""What crosses between two parties, and the only road it can take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Protocol

import numpy as np

from seepage.payload_shapes import KINDS, PayloadShape, remember, shape_of
from seepage.shapes import Array, Rows

OUTSIDE_TRAINING: Final = -1
"""The epoch of messages that belong to prediction."""


class Kind(StrEnum):
    """What a message carries.

    Kinds are added together with the federation that sends them. Another package registers its own, with the shape of
    what they carry (`seepage.payload_shapes`), and names them as `Kind("…")`.

    >>> from seepage.payload_shapes import Carried, PayloadShape
    >>> register("heartbeat", PayloadShape((Carried("beats", "whole", (1,)),)))
    <Kind.heartbeat: 'heartbeat'>
    >>> Kind("heartbeat") is Kind("heartbeat")
    True
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

    @classmethod
    def _missing_(cls, value: object) -> "Kind | None":
        """Take a kind that another package has registered."""
        if value in _OUTSIDE:
            return _OUTSIDE[str(value)]
        if not isinstance(value, str):
            return None
        if shape_of(value) is None:
            known = ", ".join([kind.value for kind in cls] + sorted({*_OUTSIDE, *KINDS}))
            raise ValueError(f"{value!r} is no kind of message here; known are {known}")
        member = str.__new__(cls, value)
        member._name_ = member._value_ = value
        return _OUTSIDE.setdefault(value, member)


_OUTSIDE: Final[dict[str, Kind]] = {}
"""Kinds of other packages, once somebody has named them: each is one object, as ours are."""


def register(kind: str, shape: PayloadShape) -> Kind:
    """Make a kind of message known to this process, with what it carries; an entry point makes it known to all."""
    if not kind or not kind.isprintable():
        raise ValueError(f"a kind of message needs a name, got {kind!r}")
    if kind in {ours.value for ours in Kind}:
        raise ValueError(f"{kind!r} is a kind of ours, whose payload is what docs/transcript-format.md says")
    remember(kind, shape)
    return Kind(kind)


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
