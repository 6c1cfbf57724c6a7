"""A federation after training, whatever its parties are made of."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

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
Passive = TypeVar("Passive", bound=Party)


@dataclass(frozen=True, eq=False)
class TrainedRun(Generic[Active, Passive]):
    """The parties, each with its own model, and what was recorded."""

    agreement: Agreement
    active: Active
    passive: Mapping[str, Passive]
    recorder: Recorder

    @property
    def parties(self) -> Mapping[str, Party]:
        """All parties by name, the active one first."""
        return {self.active.name: self.active, **self.passive}

    @property
    def transcript(self) -> Transcript:
        """What was recorded so far."""
        return self.recorder.transcript(self.agreement)

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
