"""Being stopped by Ctrl-C or SIGTERM: what is begun is put away whole, and only the parent hears of it."""

import signal
import threading
from collections.abc import Iterator
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
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
