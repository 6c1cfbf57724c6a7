"""Being stopped by Ctrl-C or SIGTERM: what is begun is put away whole, and only the parent hears of it."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

STOPPING: Final = (signal.SIGINT, signal.SIGTERM)


class Terminated(KeyboardInterrupt):
    """SIGTERM, which stops an audit as Ctrl-C does."""


def terminate(number: int, frame: FrameType | None) -> None:
    """Let SIGTERM unwind the program, so that everything is put away on the way out."""
    del number, frame
    raise Terminated


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
