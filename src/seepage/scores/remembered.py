"""What is the same for all attacks on one run, or for several runs, worked out once."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def content_key(*parts: object) -> bytes:
    """Return a key that follows from the content of numbers, words and arrays: equal content, equal key.

    >>> content_key("rows", np.arange(3)) == content_key("rows", np.arange(3))
    True
    >>> content_key("rows", np.arange(3)) == content_key("rows", np.arange(3.0))
    False
    """
    made = hashlib.sha256()
    for part in parts:
        array = np.asarray(part)
        made.update(f"{array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return made.digest()


@dataclass(frozen=True, eq=False, kw_only=True)
class Remembered:
    """Remembers what was worked out for one run, such as the blind guesses of one adversary.

    Whoever scores holds it and hands it on: what is kept here was worked out from the truth, and no
    attack may come near it.

    Parameters
    ----------
    most
        How many answers are kept, 1 or more; those not asked for longest are dropped. None keeps all.
    shared
        Where answers go that are the same in other runs as well; None keeps them beside the others.

    Examples
    --------
    >>> answers = Remembered()
    >>> answers.of("two", lambda: 1 + 1), answers.of("two", lambda: 1 / 0)
    (2, 2)

    Two runs of the same adversary under different defenses:

    >>> shared = Remembered(most=8)
    >>> [Remembered(shared=shared).in_any_run("digest", lambda: run) for run in ("one", "other")]
    ['one', 'one']
    """

    most: int | None = None
    shared: "Remembered | None" = None
    _known: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict, repr=False)

    def __post_init__(self) -> None:
        if self.most is not None and self.most < 1:
            raise ValueError(f"most must be 1 or more, or None to keep all answers, got {self.most}")

    def of(self, key: Hashable, work_out: Callable[[], T]) -> T:
        """Return what is known under a key, or work it out."""
        known: T = self._known[key] if key in self._known else work_out()
        self._known[key] = known
        self._known.move_to_end(key)
        while self.most is not None and len(self._known) > self.most:
            self._known.popitem(last=False)
        return known

    def in_any_run(self, digest: Hashable, work_out: Callable[[], T]) -> T:
        """Return what follows from the content of a digest alone, so that it is the same in every run."""
        return (self if self.shared is None else self.shared).of(digest, work_out)
