"""Worker processes on this machine: one that crashes or takes too long costs only what it was doing."""

import math
import os
import pickle
import selectors
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Final, cast

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
    """

    count: int
    timeout: float | None = None
    threads: int = 1

    def run(self, work: Sequence[Assignment]) -> Iterator[Finished]:
        """Yield what is found, in any order."""
        waiting = deque(work)
        with selectors.DefaultSelector() as selector:
            workers = [self._hired(selector) for _ in range(min(self.count, len(waiting)))]
            try:
                for worker in workers:
                    worker.take(waiting.popleft())
                while any(worker.assignment is not None for worker in workers):
                    for worker in _heard(selector, self._patience(workers)):
                        yield from worker.said()
                    for place, worker in enumerate(workers):
                        ended = worker.ended(self.timeout)
                        if ended is not None:
                            yield from worker.failures(ended)
                            worker.dismiss(selector)
                            worker = workers[place] = self._hired(selector)
                        if worker.assignment is None and waiting:
                            worker.take(waiting.popleft())
            finally:
                with uninterrupted():
                    for worker in workers:
                        worker.dismiss(selector)

    def _hired(self, selector: selectors.BaseSelector) -> "_Worker":
        worker = _Worker(self.threads)
        selector.register(worker.output, selectors.EVENT_READ, worker)
        return worker

    def _patience(self, workers: Sequence["_Worker"]) -> float | None:
        """Return how long to wait for somebody to say something before somebody may be late."""
        if self.timeout is None:
            return None
        since = min((worker.since for worker in workers if worker.assignment is not None), default=math.inf)
        return max(0.0, since + self.timeout - time.monotonic()) if since < math.inf else None


def _heard(selector: selectors.BaseSelector, patience: float | None) -> Iterator["_Worker"]:
    for key, _ in selector.select(patience):
        yield cast("_Worker", key.data)


@dataclass(eq=False)
class _Worker:
    """One process, what it is doing, and what it has said so far."""

    threads: int
    assignment: Assignment | None = None
    since: float = math.inf
    given: set[str] = field(default_factory=set)
    pending: bytes = b""
    closed: bool = False
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        """Start it in a group of its own, so that Ctrl-C reaches the audit, which then ends it."""
        self.process = subprocess.Popen(  # noqa: S603
            [*COMMAND, str(self.threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        os.set_blocking(self.output.fileno(), False)

    @property
    def output(self) -> IO[bytes]:
        """Where it speaks."""
        assert self.process.stdout is not None
        return self.process.stdout

    def take(self, assignment: Assignment) -> None:
        """Begin an assignment."""
        self.assignment, self.since, self.given = assignment, math.inf, set()
        told = pickle.dumps(assignment)
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(LENGTH.pack(len(told)) + told)
            self.process.stdin.flush()
        except BrokenPipeError:  # it has ended: that is seen, and said, where its silence is
            self.closed = True

    def said(self) -> Iterator[Finished]:
        """Yield the records that it has said since the last time."""
        heard = self.output.read()
        if heard == b"":
            self.closed = True
        *lines, self.pending = (self.pending + (heard or b"")).split(b"\n")
        for line in lines:
            if self.assignment is None:
                continue
            if line == BEGUN:
                self.since = time.monotonic()
                continue
            if line == DONE:
                yield Finished(self.assignment)
                self.assignment = None
                continue
            try:
                record = Record.model_validate_json(line)
            except ValidationError:
                continue  # not one of ours: the finding that is missing for it will say that it failed
            self.given.add(record.key)
            yield Finished(self.assignment, record)

    def ended(self, timeout: float | None) -> str | None:
        """Say why nothing more will come of an assignment; None while something may."""
        if self.assignment is None and not self.closed:
            return None
        if self.closed or self.process.poll() is not None:
            return f"Its worker process ended unexpectedly (status {self.process.wait()})."
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

    def dismiss(self, selector: selectors.BaseSelector) -> None:
        """End the process."""
        if self.output in selector.get_map():
            selector.unregister(self.output)
        self.process.kill()
        self.process.communicate()
