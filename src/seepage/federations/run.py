"""A federation after training, whatever its parties are made of."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from seepage.federations.recorded_party import Passive, RecordedParty
from seepage.hooks import Hook
from seepage.messages import OUTSIDE_TRAINING, Kind, Link, Message, Party
from seepage.shapes import NO_ROWS, Array, Matrix, Rows
from seepage.transcript import Agreement, Recorder, Transcript


class Predicting(Party, Protocol):
    """An active party with a trained model."""

    chunk: ClassVar[int]
    """How many rows to predict at a time, so that memory stays bounded."""

    @property
    def traffic(self) -> Mapping[str, int]:
        """How many ciphertexts crossed, by kind of message."""
        ...

    @property
    def links(self) -> Mapping[str, Link]:
        """The roads to all other parties."""
        ...

    @property
    def hook(self) -> Hook:
        """The defense that it trained with."""
        ...

    def confidences(self, rows: Rows, step: int) -> Matrix:
        """Return the confidences of some rows, `chunk` at most."""
        ...

    def own_model(self) -> dict[str, Array]:
        """Return its own part of the model."""
        ...


Active = TypeVar("Active", bound=Predicting)


@dataclass(frozen=True, eq=False)
class Run(Generic[Active, Passive]):
    """A federation after training: the party that drove it, with its model and what it recorded.

    Parameters
    ----------
    others
        The other parties, each with its own model and its own record, where they are in this process.
    """

    agreement: Agreement
    active: Active
    recorder: Recorder
    others: Mapping[str, RecordedParty[Passive]] = field(default_factory=dict)

    @property
    def passive(self) -> Mapping[str, Passive]:
        """The other parties that are in this process."""
        return {name: other.party for name, other in self.others.items()}

    @property
    def parties(self) -> Mapping[str, Party]:
        """All parties in this process by name, the active one first."""
        return {self.active.name: self.active, **self.passive}

    @property
    def transcript(self) -> Transcript:
        """What was recorded so far: every message crosses at the active party, and models are each party's own."""
        told = self.recorder.transcript(self.agreement)
        kept = [own for other in self.others.values() for own in other.transcript(self.agreement).snapshots]
        return replace(told, snapshots=(*told.snapshots, *kept))

    @property
    def traffic(self) -> Mapping[str, int]:
        """How many ciphertexts crossed, by kind of message; empty where nothing is encrypted."""
        return self.active.traffic

    @property
    def crossed(self) -> tuple[dict[str, Any], ...]:
        """How many messages and bytes crossed so far, by kind, sender and receiver."""
        return self.recorder.tally.crossed()

    def predict(self, rows: Rows) -> Matrix:
        """Return the active party's confidences, rows by classes."""
        return np.concatenate([self.active.confidences(chunk, step) for step, chunk in enumerate(self._chunks(rows))])

    def release(self, rows: Rows, hook: Hook | None = None, *, shown: bool = True) -> Matrix:
        """Release predictions to every party, or where they are not `shown` to the active one alone, and return them.

        Under the hook that the active party trained with, or under another one: what acts on releases
        alone changes nothing before. Each of several releases is kept from the others by `aside`.
        """
        active, released = self.active, []
        hook = hook if hook is not None else active.hook
        for step, chunk in enumerate(self._chunks(rows)):
            payload: dict[str, Array] = {"confidence": active.confidences(chunk, step)}
            message = hook.release(
                Message(Kind.PREDICTION, active.name, active.name, OUTSIDE_TRAINING, step, chunk, payload)
            )
            self.recorder.hear(message)
            for party, link in active.links.items() if shown else ():
                link.request(replace(message, receiver=party))
            released.append(message.payload["confidence"])
        return np.concatenate(released)

    def aside(self) -> AbstractContextManager[None]:
        """Forget at the end what crosses from the beginning on; a transcript taken in between holds it."""
        return self.recorder.aside()

    def release_model(self) -> None:
        """Let every owner release its part of the model to the active party, which lays its own part beside."""
        name = self.active.name
        for party, link in self.active.links.items():
            link.request(Message(Kind.MODEL, name, party, OUTSIDE_TRAINING, 0, NO_ROWS, {}))
        self.recorder.hear(Message(Kind.MODEL, name, name, OUTSIDE_TRAINING, 0, NO_ROWS, self.active.own_model()))

    def _chunks(self, rows: Rows) -> list[Rows]:
        return np.array_split(rows, max(1, -(-len(rows) // self.active.chunk)))
