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
    """

    numbers: frozenset[int] | None

    @classmethod
    def all(cls) -> "Epochs":
        """Every epoch."""
        return cls(None)

    @classmethod
    def only(cls, *numbers: int) -> "Epochs":
        """These epochs, counted from 0."""
        return cls(frozenset(numbers))

    def __contains__(self, epoch: int) -> bool:
        return self.numbers is None or epoch in self.numbers

    def __str__(self) -> str:
        """Write the epochs out, runs of numbers together.

        >>> print(Epochs.only(0), Epochs.only(0, 1, 2, 3, 9), Epochs.all(), sep="; ")
        epoch 0; epochs 0 to 3, 9; every epoch
        """
        if self.numbers is None:
            return "every epoch"
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
        """Say whether to keep this message; bare requests carry nothing and are not kept."""
        epochs = self.messages.get(message.kind)
        if epochs is None or not message.payload:
            return False
        return message.epoch == OUTSIDE_TRAINING or message.epoch in epochs

    def __or__(self, other: "Recording") -> "Recording":
        merged = dict(self.messages)
        for kind, epochs in other.messages.items():
            merged[kind] = merged[kind] | epochs if kind in merged else epochs
        return Recording(merged, self.snapshots | other.snapshots)
