"""What is the same for all attacks on one run, worked out once."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Once:
    """Remembers what was worked out for one run, such as the blind guesses of one adversary.

    >>> once = Once()
    >>> once.of("two", lambda: 1 + 1), once.of("two", lambda: 1 / 0)
    (2, 2)
    """

    _known: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def of(self, key: Hashable, work_out: Callable[[], T]) -> T:
        """Return what is known under a key, or work it out."""
        if key not in self._known:
            self._known[key] = work_out()
        known: T = self._known[key]
        return known
