"""What a recorder could not keep: an engine goes on, and whoever reads its recording is told from where it lacks."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final

from seepage.errors import Remark, reason_of
from seepage.messages import OUTSIDE_TRAINING, Message
from seepage.transcript.transcript import Snapshot

LONGEST: Final = 300
"""So many characters may say why."""


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """How much was left out of a recording, and from where on; `str` says it to whoever reads it.

    >>> lost = LeftOut(count=1, before=37, what="the gradient from bank to shop in epoch 3", why="not finite")
    >>> print(lost)
    1 of 38 messages and models was left out: the gradient from bank to shop in epoch 3, after 37 that were kept (not
    finite). Nothing was kept after it.
    >>> print(LeftOut(count=2, before=5, after=30, what="the gradient from bank to shop in epoch 0", why="not finite"))
    2 of 37 messages and models were left out, the first of them the gradient from bank to shop in epoch 0, after 5 ...

    Parameters
    ----------
    count
        How many messages and models.
    before, after
        How many were kept before the first of them, and after it.
    what, why
        What the first of them was, and why it was not kept.
    """

    count: int
    before: int
    what: str
    why: str
    after: int = 0

    def __post_init__(self) -> None:
        numbers = (self.count, self.before, self.after)
        if not all(type(number) is int and number >= 0 for number in numbers) or self.count < 1:
            raise ValueError("what should be how many messages were left out")
        words = (self.what, self.why)
        if not all(isinstance(word, str) and len(word) <= LONGEST and word.isprintable() for word in words):
            raise ValueError("what should be why messages were left out")

    def __str__(self) -> str:
        first = ": " if self.count == 1 else ", the first of them "
        after = f"{self.after} were kept after it." if self.after else "Nothing was kept after it."
        return (
            f"{self.count} of {self.before + self.count + self.after} messages and models "
            f"{'was' if self.count == 1 else 'were'} left out{first}{self.what}, after {self.before} that were kept "
            f"({self.why}). {after}"
        )

    def beside(self, kept: int) -> "LeftOut":
        """Return the same, once so many were kept before and after."""
        before = min(self.before, kept)
        return replace(self, before=before, after=kept - before)


def left_out(earlier: LeftOut | None, said: Message | Snapshot | str, error: Exception | str, kept: int) -> LeftOut:
    """Count one more that could not be kept, after so many that were; the first is told at once, in a warning.

    Whoever turns warnings into errors is spared this one: an engine is never broken off by its recorder.
    """
    if earlier is not None:
        return replace(earlier, count=earlier.count + 1)
    why = (
        error
        if isinstance(error, str)
        else str(error).replace("what should be ", "it should be ", 1) or type(error).__name__
    )
    shown = "".join(letter if letter.isprintable() else " " for letter in why)
    found = LeftOut(count=1, before=kept, what=named(said), why=shown[:LONGEST])
    with suppress(Remark):
        warnings.warn(
            Remark(
                f"The recording lacks {found.what} ({found.why}). The engine goes on; close() counts what is lacking."
            ),
            stacklevel=5,
        )
    return found


def named(said: Message | Snapshot | str) -> str:
    """Say in a few words what was to be kept."""
    if isinstance(said, str):
        return "".join(letter if letter.isprintable() else " " for letter in said)[:LONGEST]
    when = "outside training" if said.epoch == OUTSIDE_TRAINING else f"in epoch {said.epoch}"
    if isinstance(said, Message):
        about = f"the {said.kind.value} from {said.sender} to {said.receiver} {when}"
    else:
        about = f"the model of {said.party} {when}"
    return "".join(letter if letter.isprintable() else " " for letter in about)[:LONGEST]


@contextmanager
def warned(what: str) -> Iterator[None]:
    """Warn of whatever goes wrong inside instead of raising it: the engine goes on."""
    try:
        yield
    except Exception as error:
        with suppress(Remark):
            warnings.warn(Remark(f"{what}: {reason_of(error)}"), stacklevel=4)
