"""Worker processes on this machine: one that crashes or takes too long costs only what it was doing."""

import math
import os
import pickle
import selectors
import signal
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import IO, Final

from pydantic import ValidationError

from seepage.audit.engines.engine import Finished
from seepage.audit.engines.stopping import uninterrupted
from seepage.audit.stages.assignment import Assignment
from seepage.audit.stages.work import Record

LENGTH: Final = struct.Struct("<Q")
"""Before each assignment comes how long it is."""
BEGUN: Final = b"+"
"""The line with which a worker begins an assignment: its time counts from here, not from when its process started."""
DONE: Final = b""
"""The line with which it is done."""
PIECE: Final = 2**20
GLANCE: Final = 1.0
"""Every so many seconds somebody looks whether all workers are still there, also when none says anything."""
COMMAND: Final = (sys.executable, "-P", "-m", "seepage.audit.engines.worker")
"""Nothing is imported from the folder that somebody happens to work in."""


@dataclass(frozen=True, eq=False)
class Processes:
    """Starts worker processes, and a new one for each that ends before its time.

    Records come back as lines of JSON: nothing that a worker says is ever unpickled.

    Parameters
    ----------
    count
        How many work at once.
    timeout
        How many seconds an assignment may take; None for as long as it takes.
    threads
        How many threads each has.
    resting
        Workers without work, where they are kept from one run to the next; None ends them with each run.
    """

    count: int
    timeout: float | None = None
    threads: int = 1
    resting: list["_Worker"] | None = None

    @contextmanager
    def kept(self) -> Iterator["Processes"]:
        """Keep workers, and what they have at hand, for whoever has work for them again and again."""
        keeping = replace(self, resting=[])
        try:
            yield keeping
        finally:
            with uninterrupted():
                for worker in keeping.resting or ():
                    worker.dismiss()

    def run(self, work: Sequence[Assignment]) -> Generator[Finished]:
        """Yield what is found, in any order."""
        waiting, workers = deque(work), list[_Worker]()
        with selectors.DefaultSelector() as selector:
            try:
                while waiting or workers:
                    while waiting and len(workers) < self.count:
                        workers.append(self._worker(selector, waiting.popleft()))
                    selector.select(self._patience(workers))
                    for worker in tuple(workers):
                        worker.tell()
                        yield from worker.said()
                        ended = worker.ended(self.timeout)
                        if ended is not None:
                            yield from worker.said()  # what it said before it ended
                            yield from worker.failures(ended)
                        elif worker.assignment is not None:
                            continue
                        elif waiting:
                            worker.take(waiting.popleft())
                            continue
                        workers.remove(worker)
                        if ended is None and self.resting is not None:
                            worker.rest()
                            self.resting.append(worker)
                        else:
                            worker.dismiss()
            finally:
                with uninterrupted():
                    for worker in workers:
                        worker.dismiss()

    def _worker(self, selector: selectors.BaseSelector, assignment: Assignment) -> "_Worker":
        """Return a worker that begins an assignment: one that rests, or a new one."""
        if not self.resting:
            return _Worker(self.threads, selector, assignment)
        worker = self.resting.pop()
        worker.wake(selector)
        worker.take(assignment)
        return worker

    def _patience(self, workers: Sequence["_Worker"]) -> float:
        """Return how long to wait for somebody to say something before somebody may be late, or gone."""
        if self.timeout is None:
            return GLANCE
        late = min(worker.since for worker in workers) + self.timeout
        return min(GLANCE, max(0.0, late - time.monotonic()))


@dataclass(eq=False)
class _Worker:
    """One process, what it is doing, and what it was told and has said so far.

    It may take long to read what it is told, and longer to answer: nobody waits for either here.
    """

    threads: int
    selector: selectors.BaseSelector
    assignment: Assignment | None
    since: float = math.inf
    given: set[str] = field(default_factory=set)
    untold: bytes = b""
    pending: bytes = b""
    closed: bool = False
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        """Start it in a group of its own, so that Ctrl-C reaches the audit, which then ends it."""
        self.process = subprocess.Popen(  # noqa: S603
            [*COMMAND, str(self.threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        for pipe in (self.input, self.output):
            os.set_blocking(pipe.fileno(), False)
        self.selector.register(self.output, selectors.EVENT_READ)
        if self.assignment is not None:
            self.take(self.assignment)

    @property
    def input(self) -> IO[bytes]:
        """Where it listens."""
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def output(self) -> IO[bytes]:
        """Where it speaks."""
        assert self.process.stdout is not None
        return self.process.stdout

    def rest(self) -> None:
        """Be looked at by nobody for a while."""
        self.selector.unregister(self.output)

    def wake(self, selector: selectors.BaseSelector) -> None:
        """Be looked at again."""
        self.selector = selector
        selector.register(self.output, selectors.EVENT_READ)

    def take(self, assignment: Assignment) -> None:
        """Begin an assignment."""
        self.assignment, self.since, self.given = assignment, math.inf, set()
        told = pickle.dumps(assignment)
        self.untold = LENGTH.pack(len(told)) + told
        self.selector.register(self.input, selectors.EVENT_WRITE)

    def tell(self) -> None:
        """Tell it what it has room for of what it was not told yet."""
        if not self.untold:
            return
        try:
            written = self.input.write(self.untold)
            self.untold = self.untold[written or 0 :]
        except BrokenPipeError:  # it has ended: that is seen, and said, where its silence is
            self.untold = b""
        if not self.untold:
            self.selector.unregister(self.input)

    def said(self) -> Iterator[Finished]:
        """Yield the records that it has said since the last time."""
        *lines, self.pending = (self.pending + self._heard()).split(b"\n")
        for line in lines:
            if self.assignment is None:
                continue
            if line == BEGUN:
                self.since = time.monotonic()
                continue
            if line == DONE:
                yield Finished(self.assignment)
                self.assignment, self.since = None, math.inf
                continue
            try:
                record = Record.model_validate_json(line)
            except ValidationError:
                continue  # not one of ours: the finding that is missing for it will say that it failed
            self.given.add(record.key)
            yield Finished(self.assignment, record)

    def _heard(self) -> bytes:
        """Return all that lies in the pipe."""
        pieces = []
        while piece := self.output.read(PIECE):
            pieces.append(piece)
        if piece is not None and not self.closed:  # None: there may be more later
            self.closed = True
            self.selector.unregister(self.output)
        return b"".join(pieces)

    def ended(self, timeout: float | None) -> str | None:
        """Say why nothing more will come of an assignment but what lies in the pipe; None while something may."""
        if self.closed:  # it ends, or has to
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(GLANCE)
        status = self.process.poll()
        if status is not None or self.closed:
            return f"Its worker process ended unexpectedly (status {status})."
        if timeout is not None and time.monotonic() - self.since > timeout:
            return f"It took longer than {timeout:g} s (--timeout)."
        return None

    def failures(self, reason: str) -> Iterator[Finished]:
        """Yield what has to be said of an assignment that ended too early."""
        if self.assignment is None:
            return
        for record in self.assignment.failures(frozenset(self.given), reason):
            yield Finished(self.assignment, record)
        yield Finished(self.assignment)

    def dismiss(self) -> None:
        """End the process, and all that it has started in its group."""
        for pipe in (self.input, self.output):
            if pipe in (self.selector.get_map() or ()):  # a selector that was closed has none
                self.selector.unregister(pipe)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.input.close()
        self.output.close()
