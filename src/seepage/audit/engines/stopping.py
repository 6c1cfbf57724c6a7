"""Being stopped by Ctrl-C or SIGTERM: what is begun is put away whole, and only the parent hears of it."""

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Final

STOPPING: Final = (signal.SIGINT, signal.SIGTERM)
A_MOMENT: Final = 0.05
UNWINDING: Final = 20.0
"""Seconds after a signal in which another one changes nothing."""


class Terminated(KeyboardInterrupt):
    """SIGTERM, which stops an audit as Ctrl-C does."""


@dataclass
class Stopping:
    """Lets Ctrl-C and SIGTERM unwind the program, so that everything is put away on the way out.

    Those that come again at once change nothing: one of them would break off the sentence that the first one is due.
    One that comes while an object is finalized comes again a moment later: what is raised there is lost.
    """

    since: float = -math.inf

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Hear a signal."""
        if time.monotonic() - self.since < UNWINDING:
            return
        if _in_finalizer(frame):
            again = threading.Timer(A_MOMENT, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return
        self.since = time.monotonic()
        raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def _in_finalizer(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame is not None


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let nobody stop what is being put away: a second Ctrl-C changes nothing.

    Signals are the main thread's; in another one they do not arrive anyway.
    """
    with _handled(signal.SIG_IGN):
        yield


@contextmanager
def held_back() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait until the end: libraries may forget which of the two it was, or take them over."""
    heard: list[int] = []
    try:
        with _handled(lambda number, _: heard.append(number)):
            yield
    finally:
        for number in heard[:1]:
            signal.raise_signal(number)


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in STOPPING}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier if earlier is not None else signal.SIG_DFL)
