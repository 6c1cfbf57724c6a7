"""The messages that crossed, and where asked for each party's own models."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from seepage.messages import Message
from seepage.shapes import Array
from seepage.transcript.agreement import Agreement
from seepage.transcript.recording import Recording


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One party's own model at the end of one epoch.

    `architecture` is enough to build the model again (see `seepage.models`),
    `state` fills it.
    """

    party: str
    epoch: int
    architecture: Mapping[str, Any]
    state: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Transcript:
    """What is left of a run: nothing here belongs to nobody, so a view can be cut from it."""

    agreement: Agreement
    messages: tuple[Message, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()


@dataclass(frozen=True)
class Recorder:
    """Taps every link and keeps only what was asked for.

    Messages are kept by reference: nobody writes into what was sent, so no copy is made.
    """

    record: Recording
    kept: list[Message] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)

    def hear(self, message: Message) -> None:
        """Keep the message if it was asked for."""
        if self.record.wants(message):
            self.kept.append(message)

    def snapshot(self, epoch: int, take: Callable[[], list[Snapshot]]) -> None:
        """Take snapshots at the end of an epoch if they were asked for."""
        if epoch in self.record.snapshots:
            self.snapshots.extend(take())

    def transcript(self, agreement: Agreement) -> Transcript:
        """Return what was kept so far."""
        return Transcript(agreement, tuple(self.kept), tuple(self.snapshots))
