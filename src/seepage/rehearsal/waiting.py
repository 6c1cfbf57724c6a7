"""Work that takes long, done beside a conversation that must not fall silent."""

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Final, Generic, TypeVar

T = TypeVar("T")
EVERY: Final = 1.0
"""Seconds after which the others hear that somebody is still there."""


class Working(Generic[T]):
    """Work in a thread of its own.

    >>> Working(lambda: 6 * 7).result()
    42
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work, self._over = work, Event()
        self._result: list[T] = []
        self._error: BaseException | None = None
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._result.append(self._work())
        except BaseException as error:  # it is raised again where the result is asked for
            self._error = error
        finally:
            self._over.set()

    @property
    def done(self) -> bool:
        """Whether it is over."""
        return self._over.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; return whether it is over."""
        return self._over.wait(seconds)

    def result(self) -> T:
        """Return what came of it, or raise what was raised."""
        self._over.wait()
        if self._error is not None:
            raise self._error
        return self._result[0]


def meanwhile(work: Callable[[], T], stay: Callable[[], None]) -> T:
    """Do the work, and let the others know every now and then that somebody is still there."""
    working, last = Working(work), time.monotonic()
    while not working.wait(0.02):
        if time.monotonic() - last >= EVERY:
            stay()
            last = time.monotonic()
    return working.result()
