"""A party without labels that keeps its own record: nobody else reaches into it for a message or a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from seepage.messages import OUTSIDE_TRAINING, Message, Party
from seepage.transcript import Agreement, Recorder, Snapshot, Transcript


class Answering(Party, Protocol):
    """A party without labels, and its own models."""

    def snapshots(self, epoch: int) -> Sequence[Snapshot]:
        """Return its own models as they are now, at the end of an epoch."""
        ...


Passive = TypeVar("Passive", bound=Answering)


@dataclass(eq=False)
class RecordedParty(Generic[Passive]):
    """Answers as the party would, and records what it was asked, what it said, and its models after every epoch.

    Nobody tells it that an epoch is over: the first message of the next one does.
    """

    party: Passive
    recorder: Recorder
    _epoch: int = field(default=OUTSIDE_TRAINING, repr=False)

    @property
    def name(self) -> str:
        """The party's name."""
        return self.party.name

    def answer(self, message: Message) -> Message:
        """Let the party answer."""
        if message.epoch not in {self._epoch, OUTSIDE_TRAINING}:
            self._end_epoch()
            self._epoch = message.epoch
        self.recorder.hear(message)
        reply = self.party.answer(message)
        self.recorder.hear(reply)
        return reply

    def transcript(self, terms: Agreement) -> Transcript:
        """Return its own record so far: all that it saw, and nothing of what others said to each other."""
        self._end_epoch()
        return self.recorder.transcript(terms)

    def _end_epoch(self) -> None:
        """Take the models of the epoch that is over, once."""
        if self._epoch >= self.recorder.ended:
            epoch = self._epoch
            self.recorder.end_epoch(epoch, lambda: self.party.snapshots(epoch))
