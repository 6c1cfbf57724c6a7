"""The seam every federation fits, and what it returns."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol

from numpy.random import Generator

from seepage.hooks import Hook, Hooks, Seam, Tampering
from seepage.messages import NETWORK_KINDS, Kind, ModelKind, Party
from seepage.partition import OwnPart, PartitionedTable
from seepage.settings import flat
from seepage.shapes import Matrix, Rows
from seepage.transcript import Agreement, Recording, Transcript


class Run(Protocol):
    """A federation after training: the parties, each with its own model, and what was recorded."""

    @property
    def parties(self) -> Mapping[str, Party]:
        """All parties by name."""
        ...

    @property
    def transcript(self) -> Transcript:
        """What was recorded so far."""
        ...

    @property
    def traffic(self) -> Mapping[str, int]:
        """How many ciphertexts crossed, by kind of message; empty where nothing is encrypted."""
        ...

    @property
    def crossed(self) -> tuple[dict[str, Any], ...]:
        """How many messages and bytes crossed so far, by kind, sender and receiver."""
        ...

    def predict(self, rows: Rows) -> Matrix:
        """Return the active party's confidences, rows by classes, before any release."""
        ...

    def release(self, rows: Rows, hook: Hook | None = None, *, shown: bool = True) -> Matrix:
        """Release predictions to every party, or where they are not `shown` to the active one alone, and return them.

        The hook is the active party's; None takes the one that it trained with. What acts on
        releases alone need not be trained with, so that one run serves several such defenses.
        """
        ...

    def aside(self) -> AbstractContextManager[None]:
        """Forget at the end what crosses from the beginning on; a transcript taken in between holds it."""
        ...

    def release_model(self) -> None:
        """Let every owner release its part of the model to the active party."""
        ...


class Federation(Protocol):
    """How parties train and predict together. A frozen dataclass of settings."""

    name: ClassVar[str]
    offers: ClassVar[frozenset[Seam]]
    """Where a defense may act."""

    def agreement(self, data: PartitionedTable) -> Agreement:
        """Return the public terms, known before the first message."""
        ...

    def party(self, part: OwnPart, terms: Agreement, *, hook: Hook, tampering: Tampering, chance: Generator) -> Party:
        """Return one party without labels, made of its own part, its hook and its chance alone.

        What it answers follows from these and from the messages that it was sent: the same party, built on
        another host, says the same. In-process training builds its parties here as well.
        """
        ...

    def train(self, data: PartitionedTable, *, hooks: Hooks, record: Recording, rng: Generator) -> Run:
        """Train once; the same data, hooks and generator give the same run."""
        ...


def agreed(
    federation: Federation,
    data: PartitionedTable,
    *,
    outputs: int,
    model: ModelKind,
    top_model: bool = True,
    kinds: tuple[Kind, ...] = NETWORK_KINDS,
) -> Agreement:
    """Return the public terms of a federation over some data, its settings by their flat keys."""
    return Agreement(
        federation=federation.name,
        parties=data.parties,
        active=data.active,
        classes=len(data.classes),
        top_model=top_model,
        outputs=outputs,
        settings=flat(federation),
        kinds=kinds,
        model=model,
    )
