"""Work that several processes share, until the time is up: each takes what nobody has taken yet."""

import fcntl
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


def side_by_side(work: Callable[..., None], arguments: Sequence[object], processes: int, seconds: float | None) -> bool:
    """Run the same work in several processes; end those that still run when the time is up, and say whether none did.

    The work itself sees to it that no two do the same (`taken`), and that what is half done can be done again.

    >>> side_by_side(time.sleep, (0,), processes=2, seconds=None), side_by_side(time.sleep, (60,), 1, seconds=0)
    (True, False)
    """
    fresh = multiprocessing.get_context("spawn")  # what uses a GPU cannot be forked
    begun = [fresh.Process(target=work, args=tuple(arguments)) for _ in range(processes)]
    end = None if seconds is None else time.monotonic() + seconds
    for one in begun:
        one.start()
    for one in begun:
        one.join(None if end is None else max(0.0, end - time.monotonic()))
    late = [one for one in begun if one.is_alive()]
    for one in late:
        one.kill()
        one.join()
    return not late


@contextmanager
def taken(path: Path) -> Iterator[bool]:
    """Take a piece of work and yield whether nobody else holds it; a process that dies lets go."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
