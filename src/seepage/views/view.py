"""The part of a run that one adversary legitimately holds, and of that what an attack declared to read."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from seepage.errors import IncompatibleView, UndeclaredNeed, UnknownName
from seepage.messages import Kind, Message
from seepage.transcript import Agreement, Epochs, Snapshot, Transcript
from seepage.transcript.arrays import put_aside
from seepage.views.knowledge import Knowledge
from seepage.views.narrowing import OF_TRAINING, narrowed_knowledge, narrowed_terms
from seepage.views.needs import Needs
from seepage.withholding import unless_withheld, what_is_left, without


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
    declared
        What the attack said it reads: nothing else is here, and reading anything
        else raises `UndeclaredNeed`. None for all that the adversary holds.
    """

    agreement: Agreement
    knowledge: Knowledge
    messages: tuple[Message, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    epochs: int = 0
    declared: Needs | None = None

    if not TYPE_CHECKING:  # a type checker would take any attribute for granted
        __getattribute__ = unless_withheld
    __repr__ = what_is_left

    @property
    def adversaries(self) -> tuple[str, ...]:
        """Who is looking."""
        return self.knowledge.threat.adversaries

    @property
    def who(self) -> str:
        """Who is looking, by name."""
        return " and ".join(f"'{name}'" for name in self.adversaries)

    def narrowed(self, needs: Needs) -> "View":
        """Return what an attack with these needs is shown: what it declared, and nothing else that is held."""
        if self.declared is not None:
            if self.declared in (needs, needs.instead):
                return self
            raise ValueError("a view can be narrowed once; narrow the one that holds everything")
        declared = needs.under(self.agreement)
        shown = replace(
            self,
            agreement=narrowed_terms(self.agreement, declared),
            knowledge=narrowed_knowledge(self.knowledge, declared),
            messages=declared.read(self.messages, self.adversaries, self.epochs),
            snapshots=tuple(
                taken if declared.weights else replace(taken, state={})
                for taken in self.snapshots
                if declared.reads_snapshot(taken.part, taken.epoch, self.epochs)
            ),
            declared=declared,
        )
        return shown if declared.reads_federation else without(shown, OF_TRAINING)

    @staticmethod
    def let_go(message: Message) -> None:
        """Let go of the memory of a message that lies in a file, once it was copied; it can be read again."""
        put_aside(message.payload)

    def received(self, kind: Kind, epochs: Epochs | None = None) -> tuple[Message, ...]:
        """Return the messages of one kind that came to the adversary; refuse when there are none."""
        chosen = self.arrived(kind, epochs)
        if not chosen:
            wanted = epochs.of(self.epochs) if epochs is not None else None
            when = "" if wanted is None or wanted.numbers is None else f" in {wanted}"
            raise IncompatibleView(
                f"{self.who} received no {kind} messages{when}.\n"
                "Choose an adversary that takes part in training, or an attack that needs less."
            )
        return chosen

    def arrived(self, kind: Kind, epochs: Epochs | None = None) -> tuple[Message, ...]:
        """Return the messages of one kind that came to the adversary, if any."""
        if self.declared is not None and not self.declared.arrived(kind):
            lacking = "the kinds of models that are understood to needs.models"
            added = f"Kind.{kind.name} to needs.received" if kind not in self.declared.received else lacking
            raise UndeclaredNeed(f"{kind} messages", f"Add {added}")
        adversaries = self.adversaries
        return tuple(message for message in self._said(kind, epochs) if message.receiver in adversaries)

    def sent(self, kind: Kind, epochs: Epochs | None = None) -> tuple[Message, ...]:
        """Return the messages of one kind that the adversary itself sent, if any."""
        if self.declared is not None and kind not in self.declared.sent:
            raise UndeclaredNeed(f"{kind} messages that it sent itself", f"Add Kind.{kind.name} to needs.sent")
        adversaries = self.adversaries
        return tuple(message for message in self._said(kind, epochs) if message.sender in adversaries)

    def snapshot(self, party: str, epoch: int, part: str = "bottom") -> Snapshot | None:
        """Return an adversary's own model at the end of an epoch, −1 for the last; None where it was not kept."""
        if self.declared is not None and not self.declared.reads_federation:
            raise UndeclaredNeed("own models", "Add that epoch to needs.snapshots (or set needs.bottom)")
        epoch += self.epochs if epoch < 0 else 0
        if self.declared is not None and not self.declared.reads_snapshot(part, epoch, self.epochs):
            ends = " (or set needs.bottom)" if part == "bottom" and epoch == self.epochs - 1 else ""
            raise UndeclaredNeed(f"own models of epoch {epoch}", f"Add that epoch to needs.snapshots{ends}")
        for taken in self.snapshots:
            if taken.party == party and taken.epoch == epoch and taken.part == part:
                return taken
        return None

    def _said(self, kind: Kind, epochs: Epochs | None) -> tuple[Message, ...]:
        """Return all messages of one kind that are here, of some epochs or of all."""
        wanted = epochs.of(self.epochs) if epochs is not None else None
        declared = self.declared.epochs.of(self.epochs) if self.declared is not None else None
        if wanted is not None and declared is not None and not declared.covers(wanted):
            raise UndeclaredNeed(f"{kind} messages of {wanted}", "Add these to needs.epochs")
        return tuple(
            message for message in self.messages if message.kind is kind and (wanted is None or message.epoch in wanted)
        )


def observe(transcript: Transcript, knowledge: Knowledge, needs: Needs | None = None) -> View:
    """Cut out of a transcript what this adversary holds: nothing that others said to each other.

    With the needs of an attack, cut out what that attack declared (`View.narrowed`).
    """
    adversaries = knowledge.threat.adversaries
    for name in adversaries:
        if name not in transcript.agreement.parties:
            raise UnknownName("party", name, known=transcript.agreement.parties)
    held = View(
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
    return held if needs is None else held.narrowed(needs)
