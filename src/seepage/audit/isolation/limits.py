"""How much an attempt may take, and whether our own attacks are isolated too."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import ceil
from typing import Final

GIB: Final = 2**30
LARGEST_FILE: Final = 2 * GIB
"""What an attempt may write into one file, its guess included."""
LEAST_MEMORY: Final = 8 * GIB
"""Address space that numerical libraries reserve without using it."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one attempt may take before it is ended.

    Parameters
    ----------
    seconds
        By the clock on the wall.
    memory_gb
        Address space; by default as much as the machine has memory, and no less than 8.
    """

    seconds: float = 3600.0
    memory_gb: float | None = None

    def __post_init__(self) -> None:
        for name in ("seconds", "memory_gb"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} must be above 0, got {value}")

    @property
    def memory(self) -> int:
        """Bytes of address space."""
        if self.memory_gb is not None:
            return int(self.memory_gb * GIB)
        return max(LEAST_MEMORY, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))

    def impose(self, threads: int) -> None:
        """Limit this process and all that it starts; there is no way back."""
        processor = ceil(self.seconds * threads) + 1  # the clock ends it first, unless it left processes behind
        for what, limit in (
            (resource.RLIMIT_AS, self.memory),
            (resource.RLIMIT_CPU, processor),
            (resource.RLIMIT_FSIZE, LARGEST_FILE),
            (resource.RLIMIT_CORE, 0),
        ):
            _, hard = resource.getrlimit(what)
            lowered = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(what, (lowered, lowered))


@dataclass(frozen=True)
class Isolation:
    """How attempts are made: attacks from outside always in a process of their own, ours where asked for.

    What is guessed does not depend on it.
    """

    ours: bool = False
    limits: Limits = Limits()


_USUAL: Final = Isolation()
_CURRENT: ContextVar[Isolation] = ContextVar("isolation", default=_USUAL)


@contextmanager
def isolating(isolation: Isolation) -> Iterator[None]:
    """Make the attempts inside in this way."""
    token = _CURRENT.set(isolation)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def isolation() -> Isolation:
    """Return how attempts are made here."""
    return _CURRENT.get()
