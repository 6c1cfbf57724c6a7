"""What to keep of a run, decided before it starts."""

from dataclasses import dataclass, field

from seepage.messages import OUTSIDE_TRAINING, Kind, Message


@dataclass(frozen=True)
class Epochs:
    """Some epochs, or all of them.

    >>> 3 in Epochs.all(), 3 in Epochs.only(0, 1)
    (True, False)
    >>> Epochs.only(0) | Epochs.only(4)
    Epochs(numbers=frozenset({0, 4}))
    >>> Epochs.only(-2).of(20)
    Epochs(numbers=frozenset({18}))
    """

    numbers: frozenset[int] | None

    @classmethod
    def all(cls) -> "Epochs":
        """Every epoch."""
        return cls(None)

    @classmethod
    def only(cls, *numbers: int) -> "Epochs":
        """These epochs, counted from 0; −1 is the last one, −2 the one before it."""
        return cls(frozenset(numbers))

    @property
    def back(self) -> int:
        """How many of the latest epochs have to be kept for as long as nobody knows which one is the last."""
        return max((-number for number in self.numbers or () if number < 0), default=0)

    def of(self, trained: int) -> "Epochs":
        """Return the same epochs once it is known how many there are; before the first comes the first."""
        if not self.back:
            return self
        return Epochs(frozenset(number if number >= 0 else max(0, trained + number) for number in self.numbers or ()))

    def covers(self, other: "Epochs") -> bool:
        """Say whether all of the others are among these, once it is known how many there are.

        >>> Epochs.only(3, 4).covers(Epochs.only(3)), Epochs.only(3).covers(Epochs.all())
        (True, False)
        """
        return self.numbers is None or (other.numbers is not None and other.numbers <= self.numbers)

    def __contains__(self, epoch: int) -> bool:
        return self.numbers is None or epoch in self.numbers

    def __str__(self) -> str:
        """Write the epochs out, runs of numbers together.

        >>> print(Epochs.only(0), Epochs.only(0, 1, 2, 3, 9), Epochs.all(), sep="; ")
        epoch 0; epochs 0 to 3, 9; every epoch
        >>> print(Epochs.only(-1), Epochs.only(-2), sep="; ")
        the last epoch; the last epoch but one
        """
        if self.numbers is None:
            return "every epoch"
        if self.numbers in ({-1}, {-2}):
            return "the last epoch" + " but one" * (-2 in self.numbers)
        runs: list[list[int]] = []
        for number in sorted(self.numbers):
            if runs and number == runs[-1][-1] + 1:
                runs[-1].append(number)
            else:
                runs.append([number])
        written = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
        return f"epoch{'s' * (len(self.numbers) > 1)} {', '.join(written)}"

    def __or__(self, other: "Epochs") -> "Epochs":
        if self.numbers is None or other.numbers is None:
            return Epochs(None)
        return Epochs(self.numbers | other.numbers)


NO_EPOCHS = Epochs.only()


@dataclass(frozen=True)
class Recording:
    """Which messages and which snapshots to keep, so that memory stays bounded.

    Messages outside training (released predictions) are kept whenever their
    kind is; epochs speak about training.

    >>> kept = Recording({Kind.GRADIENT: Epochs.only(0)}) | Recording({Kind.EMBEDDING: Epochs.all()})
    >>> sorted(kept.messages)
    [<Kind.EMBEDDING: 'embedding'>, <Kind.GRADIENT: 'gradient'>]
    """

    messages: dict[Kind, Epochs] = field(default_factory=dict)
    snapshots: Epochs = NO_EPOCHS

    @classmethod
    def everything(cls) -> "Recording":
        """Keep all messages and a snapshot of every epoch."""
        return cls(dict.fromkeys(Kind, Epochs.all()), Epochs.all())

    def wants(self, message: Message) -> bool:
        """Say whether to keep this message; bare requests carry nothing and are not kept.

        Where epochs are counted from the end, every message may turn out to be one of them.
        """
        epochs = self.messages.get(message.kind)
        if epochs is None or not message.payload:
            return False
        return message.epoch == OUTSIDE_TRAINING or message.epoch in epochs or epochs.back > 0

    def of(self, trained: int) -> "Recording":
        """Return the same once it is known how many epochs there are."""
        return Recording(
            {kind: epochs.of(trained) for kind, epochs in self.messages.items()}, self.snapshots.of(trained)
        )

    def __or__(self, other: "Recording") -> "Recording":
        merged = dict(self.messages)
        for kind, epochs in other.messages.items():
            merged[kind] = merged[kind] | epochs if kind in merged else epochs
        return Recording(merged, self.snapshots | other.snapshots)
