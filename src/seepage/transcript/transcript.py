"""The messages that crossed, and where asked for each party's own models."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from seepage.messages import NETWORK_KINDS, OUTSIDE_TRAINING, Kind, Message, ModelKind, veiled
from seepage.shapes import Array
from seepage.transcript.recording import Epochs, Recording
from seepage.transcript.tally import Tally
from seepage.transcript.terms import Terms
from seepage.withholding import unless_withheld, what_is_left

RECORDED: Final[Mapping[str, Any]] = {"kind": "recorded"}
"""The architecture of a model of which nothing is known but what it answered."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The public terms of one federation, known to every party before the first message.

    Parameters
    ----------
    classes
        How many classes the labels have.
    top_model
        Whether the active party puts a model of its own on top of what the
        parties send. Without one, gradients come back for the logits themselves.
    outputs
        How many numbers a party sends for each row.
    settings
        The federation's settings, as the parties agreed on them: for people to read. No attack does.
    terms
        What of them attacks and blind guesses read.
    kinds
        The kinds of messages that cross between the parties.
    model
        What the released models make together; None where no model is released.
    """

    federation: str
    parties: tuple[str, ...]
    active: str
    classes: int
    top_model: bool
    outputs: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    kinds: tuple[Kind, ...] = NETWORK_KINDS
    model: ModelKind | None = None
    terms: Terms = Terms()

    if not TYPE_CHECKING:  # a type checker would take any attribute for granted
        __getattribute__ = unless_withheld
    __repr__ = what_is_left

    @property
    def encrypted(self) -> bool:
        """Whether sealed messages carry real ciphertexts; otherwise numbers stand in for them."""
        return bool(self.settings.get("encryption", "none") != "none")

    @property
    def passive(self) -> tuple[str, ...]:
        """All parties but the active one."""
        return tuple(party for party in self.parties if party != self.active)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One party's own model at the end of one epoch.

    `architecture` is enough to build the model again (see `seepage.networks`),
    `state` fills it. `part` tells the bottom model, which every party with columns
    has, from the head that the active party puts on top. `columns` are the encoded
    columns that a bottom model reads; empty where that is not known, and then it reads all.

    Of a model that cannot be built again, whatever it is made of, its answers are kept: the architecture is
    `RECORDED`, and the state holds ``rows`` and ``outputs``, what the model says of each of them.
    """

    party: str
    epoch: int
    architecture: Mapping[str, Any]
    state: Mapping[str, Array]
    part: Literal["bottom", "head"] = "bottom"
    columns: tuple[str, ...] = ()

    @property
    def recorded(self) -> bool:
        """Whether answers were kept instead of a model."""
        return bool(self.architecture.get("kind") == RECORDED["kind"])


@dataclass(frozen=True, eq=False)
class Transcript:
    """What is left of a run: nothing here belongs to nobody, so a view can be cut from it.

    Parameters
    ----------
    epochs
        How many epochs were trained; None where that is not known, and then the
        last one that was recorded counts as the last.
    """

    agreement: Agreement
    messages: tuple[Message, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    epochs: int | None = None

    @property
    def trained(self) -> int:
        """How many epochs were trained, as far as can be told."""
        if self.epochs is not None:
            return self.epochs
        spoken = [message.epoch for message in self.messages] + [snapshot.epoch for snapshot in self.snapshots]
        return 1 + max(spoken, default=OUTSIDE_TRAINING)


@dataclass(frozen=True)
class Recorder:
    """Taps every link, counts all that crosses and keeps only what was asked for.

    Messages are kept by reference: nobody writes into what was sent, so no copy is made. Where numbers stand in for
    ciphertexts, what is kept says how much was sealed, and not what.

    Parameters
    ----------
    ciphertexts
        Whether sealed messages of training carry real ciphertexts, which are kept as they are.
    """

    record: Recording
    ciphertexts: bool = False
    kept: list[Message] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    _ended: list[int] = field(default_factory=list, repr=False)
    tally: Tally = field(default_factory=Tally)

    @property
    def ended(self) -> int:
        """How many epochs are over."""
        return self._ended[0] if self._ended else 0

    def hear(self, message: Message) -> None:
        """Count the message, and keep it if it was asked for."""
        self.tally.count(message)
        if self.record.wants(message):
            real = self.ciphertexts and message.kind is not Kind.CORRELATION
            self.kept.append(message if real else veiled(message))

    def end_epoch(self, epoch: int, take: Callable[[], Sequence[Snapshot]]) -> None:
        """Take snapshots at the end of an epoch if they were asked for, and drop what is too long ago to be wanted."""
        if epoch in self.record.snapshots or self.record.snapshots.back:
            self.snapshots.extend(take())
        self._ended[:] = [epoch + 1]
        kinds = self.record.messages
        if any(epochs.back for epochs in kinds.values()):
            self.kept[:] = [said for said in self.kept if self._may_count(said.epoch, kinds[said.kind])]
        self.snapshots[:] = [taken for taken in self.snapshots if self._may_count(taken.epoch, self.record.snapshots)]

    def _may_count(self, epoch: int, epochs: Epochs) -> bool:
        return epoch == OUTSIDE_TRAINING or epoch in epochs or epoch >= self._ended[0] - epochs.back

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Hear as ever, and at the end forget what was heard since the beginning.

        >>> import numpy as np
        >>> from seepage.messages import Kind
        >>> recorder = Recorder(Recording.everything())
        >>> with recorder.aside():
        ...     recorder.hear(Message(Kind.PREDICTION, "bank", "shop", -1, 0, np.arange(1), {"confidence": np.eye(1)}))
        ...     heard = len(recorder.kept)
        >>> heard, len(recorder.kept)
        (1, 0)
        """
        messages, snapshots, counts = len(self.kept), len(self.snapshots), dict(self.tally.counts)
        try:
            yield
        finally:
            del self.kept[messages:], self.snapshots[snapshots:]
            self.tally.reset(counts)

    def transcript(self, agreement: Agreement) -> Transcript:
        """Return what was kept so far."""
        if not self._ended:
            return Transcript(agreement, tuple(self.kept), tuple(self.snapshots))
        trained = self._ended[0]
        wanted = self.record.of(trained)
        return Transcript(
            agreement,
            tuple(said for said in self.kept if wanted.wants(said)),
            tuple(taken for taken in self.snapshots if taken.epoch in wanted.snapshots),
            epochs=trained,
        )
