"""How many threads our own kernels may use, and how they use them."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import pairwise

import numpy as np

_THREADS: ContextVar[int] = ContextVar("threads", default=1)


@contextmanager
def kernel_threads(count: int) -> Iterator[None]:
    """Give kernels so many threads inside."""
    token = _THREADS.set(count)
    try:
        yield
    finally:
        _THREADS.reset(token)


def threads_here() -> int:
    """Return how many threads kernels have here."""
    return _THREADS.get()


def over_ranges(work: Callable[[int, int], None], length: int) -> None:
    """Call `work(start, stop)` on ranges that cover `length`, one for each thread.

    The work must release the GIL and write to places of its own, so that the
    result does not depend on the number of threads.

    >>> done = np.zeros(5)
    >>> over_ranges(lambda start, stop: done[start:stop].fill(1), 5)
    >>> done
    array([1., 1., 1., 1., 1.])
    """
    threads = min(_THREADS.get(), length)
    if threads <= 1:
        work(0, length)
        return
    edges = np.linspace(0, length, threads + 1).astype(int).tolist()
    first, *others = pairwise(edges)
    waiting = [_pool(threads - 1).submit(work, *span) for span in others]
    work(*first)  # this thread does its share instead of waiting
    for future in waiting:
        future.result()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return threads that stay: to start them takes longer than most of what they do."""
    return ThreadPoolExecutor(threads)
