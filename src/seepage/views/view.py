"""The part of a run that one adversary legitimately holds."""

from dataclasses import dataclass

from seepage.errors import IncompatibleView, UnknownName
from seepage.messages import Kind, Message
from seepage.transcript import Agreement, Epochs, Snapshot, Transcript
from seepage.views.knowledge import Knowledge


@dataclass(frozen=True, eq=False)
class View:
    """What an attack is given, and all it is given.

    Parameters
    ----------
    messages
        What the adversary sent or received, in the order it crossed.
    snapshots
        The adversary's own models.
    epochs
        How many epochs were trained, which every party knows.
    """

    agreement: Agreement
    knowledge: Knowledge
    messages: tuple[Message, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    epochs: int = 0

    @property
    def adversaries(self) -> tuple[str, ...]:
        """Who is looking."""
        return self.knowledge.threat.adversaries

    def received(self, kind: Kind, epochs: Epochs | None = None) -> tuple[Message, ...]:
        """Return the messages of one kind that came to the adversary; refuse when there are none."""
        epochs = epochs.of(self.epochs) if epochs is not None else None
        chosen = tuple(
            message
            for message in self.messages
            if message.kind is kind
            and message.receiver in self.adversaries
            and (epochs is None or message.epoch in epochs)
        )
        if not chosen:
            who = " and ".join(f"'{name}'" for name in self.adversaries)
            when = "" if epochs is None or epochs.numbers is None else f" in {epochs}"
            raise IncompatibleView(
                f"{who} received no {kind} messages{when}.\n"
                "Choose an adversary that takes part in training, or an attack that needs less."
            )
        return chosen


def observe(transcript: Transcript, knowledge: Knowledge) -> View:
    """Cut out of a transcript what this adversary holds: nothing that others said to each other."""
    adversaries = knowledge.threat.adversaries
    for name in adversaries:
        if name not in transcript.agreement.parties:
            raise UnknownName("party", name, known=transcript.agreement.parties)
    return View(
        agreement=transcript.agreement,
        knowledge=knowledge,
        messages=tuple(
            message
            for message in transcript.messages
            if (message.sender in adversaries or message.receiver in adversaries)
            and (knowledge.threat.model or message.kind is not Kind.MODEL)
        ),
        snapshots=tuple(snapshot for snapshot in transcript.snapshots if snapshot.party in adversaries),
        epochs=transcript.trained,
    )
