"""What is the same for several attacks or runs, worked out once."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Once:
    """Remembers what was worked out, such as the blind guesses of one adversary.

    Parameters
    ----------
    most
        How many answers are kept, those that were asked for last; all of them by default.
    lasting
        Where answers lie that hold for other runs too, since their keys say all that they depend on;
        by default here.

    >>> once = Once()
    >>> once.of("two", lambda: 1 + 1), once.of("two", lambda: 1 / 0)
    (2, 2)
    >>> short = Once(most=1)
    >>> [short.of(key, lambda: key) for key in "aba"], len(short)
    (['a', 'b', 'a'], 1)
    """

    most: int | None = None
    lasting: "Once | None" = None
    _known: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def of(self, key: Hashable, work_out: Callable[[], T]) -> T:
        """Return what is known under a key, or work it out."""
        known: T = self._known.pop(key) if key in self._known else work_out()
        self._known[key] = known
        while self.most is not None and len(self._known) > self.most:
            del self._known[next(iter(self._known))]
        return known

    def everywhere(self, key: Hashable, work_out: Callable[[], T]) -> T:
        """Return what holds for other runs too."""
        return (self.lasting or self).of(key, work_out)

    def __len__(self) -> int:
        return len(self._known)
