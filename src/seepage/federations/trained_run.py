"""A federation after training, whatever its parties are made of."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from seepage.hooks import Hook
from seepage.messages import Party
from seepage.shapes import Matrix, Rows
from seepage.transcript import Agreement, Recorder, Transcript


class Predicting(Party, Protocol):
    """An active party with a trained model."""

    @property
    def traffic(self) -> Mapping[str, int]:
        """How many ciphertexts crossed, by kind of message."""
        ...

    def predict(self, rows: Rows) -> Matrix:
        """Return the confidences of some rows."""
        ...

    def release(self, rows: Rows, hook: Hook | None = None) -> Matrix:
        """Send the confidences to every party, as a hook lets them out; None takes the one trained with."""
        ...

    def release_model(self) -> None:
        """Gather the models of all owners."""
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

    def predict(self, rows: Rows) -> Matrix:
        """Return the active party's confidences, rows by classes."""
        return self.active.predict(rows)

    def release(self, rows: Rows, hook: Hook | None = None) -> Matrix:
        """Release predictions to every party, and return them as everyone sees them.

        Under the hook that the active party trained with, or under another one: what acts on releases
        alone changes nothing before. Each of several releases is kept from the others by `aside`.
        """
        return self.active.release(rows, hook)

    def aside(self) -> AbstractContextManager[None]:
        """Forget at the end what crosses from the beginning on; a transcript taken in between holds it."""
        return self.recorder.aside()

    def release_model(self) -> None:
        """Let every owner release its part of the model to the active party."""
        self.active.release_model()
