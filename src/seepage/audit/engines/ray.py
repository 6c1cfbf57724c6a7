"""Workers on a Ray cluster: many machines, or this one; one that dies costs what it was doing once more."""

import math
import os
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pydantic import ValidationError

from seepage.audit.engines.engine import Finished
from seepage.audit.engines.ray_cluster import connected
from seepage.audit.engines.ray_worker import BEGUN, RayWorker
from seepage.audit.engines.stopping import held_back, uninterrupted
from seepage.audit.stages.assignment import Assignment
from seepage.audit.stages.work import Record
from seepage.data import Table
from seepage.errors import EngineUnavailable

A_WHILE: Final = 0.5
"""Seconds between looking who is late, and whether anybody wants the audit to stop."""


@dataclass(frozen=True, eq=False)
class Ray:
    """Hands assignments to actors on a cluster, each with threads of its own and all that it keeps between them.

    The table is put into the object store once and handed on under its checksum, so that no other machine needs
    its file. Records come back as JSON and are checked like any other input. Ray itself is trusted: whoever
    can speak to a cluster can run code on it.

    Parameters
    ----------
    table
        What is audited, as it was when the audit began.
    address
        Of a cluster that is there; None starts one on this machine, and ends it.
    count
        How many work at once; None for as many as the cluster has processors for.
    timeout
        How many seconds an assignment may take; None for as long as it takes.
    threads
        How many threads, and processors of the cluster, each has.
    graphics
        How many graphics processors each has.
    """

    table: Table
    address: str | None = None
    count: int | None = None
    timeout: float | None = None
    threads: int = 1
    graphics: int = 0

    def run(self, work: Sequence[Assignment]) -> Generator[Finished, None, None]:
        """Yield what is found, in any order."""
        if not work:
            return  # no cluster for nothing
        with connected(self.address, self._local_processors(len(work))) as ray:
            crew = _Crew(ray, self, ray.put(self.table))
            waiting = deque(_Task(assignment) for assignment in work)
            hands = [crew.hired() for _ in range(min(self._places(ray), len(waiting)))]
            try:
                for hand in hands:
                    hand.take(waiting.popleft())
                while busy := [hand for hand in hands if hand.task is not None]:
                    for hand in crew.heard(busy):
                        yield from hand.said()
                    for place, hand in enumerate(hands):
                        if (reason := hand.lost(self.timeout)) is not None:
                            again = hand.task.once_more() if hand.task is not None and hand.died else None
                            yield from hand.failures(reason) if again is None else ()
                            waiting.extendleft([again] if again is not None else [])
                            hand.dismiss()
                            hand = hands[place] = crew.hired()
                        if hand.task is None and waiting:
                            hand.take(waiting.popleft())
            finally:
                with uninterrupted():
                    for hand in hands:
                        hand.dismiss()

    def _local_processors(self, work: int) -> int:
        """Return how many processors a cluster of our own needs to have."""
        return self.threads * min(self.count or max(1, len(os.sched_getaffinity(0)) // self.threads), work)

    def _places(self, ray: Any) -> int:
        """Return how many can work at once, or say that nobody can."""
        there = ray.cluster_resources()
        room = int(there.get("CPU", 0)) // self.threads
        if self.graphics:
            room = min(room, int(there.get("GPU", 0)) // self.graphics)
        if room == 0:
            wanted = f"{self.threads} processors" + (f" and {self.graphics} GPU" if self.graphics else "")
            raise EngineUnavailable(
                f"The Ray cluster has no room for one worker with {wanted}. Add nodes, or ask for fewer --threads."
            )
        return min(self.count or room, room)


@dataclass(frozen=True)
class _Task:
    """An assignment, what came of it so far, and whether a worker died of it already."""

    assignment: Assignment
    given: frozenset[str] = frozenset()
    deaths: int = 0

    def once_more(self) -> "_Task | None":
        """Return what is left of it for another worker; None where that is tried already."""
        return replace(self, deaths=1) if self.deaths == 0 else None

    @property
    def left(self) -> Assignment:
        """What is still wanted of it."""
        return replace(self.assignment, wanted=self.assignment.wanted - self.given)


@dataclass(frozen=True)
class _Crew:
    """Hires workers, and waits for them."""

    ray: Any
    engine: Ray
    table: Any

    def hired(self) -> "_Hand":
        """Start one worker; Ray itself repeats nothing, since only we know what was given already."""
        made = self.ray.remote(RayWorker).options(
            num_cpus=self.engine.threads, num_gpus=self.engine.graphics, max_restarts=0, max_task_retries=0
        )
        return _Hand(self.ray, made.remote(self.engine.threads, self.table, os.getcwd()))

    def heard(self, busy: Sequence["_Hand"]) -> list["_Hand"]:
        """Wait a while for somebody to say something."""
        speaking = {hand.answers: hand for hand in busy}
        with held_back():  # Ray would make a plain Ctrl-C of either
            ready, _ = self.ray.wait(list(speaking), num_returns=1, timeout=A_WHILE)
        return [speaking[answers] for answers in ready]


@dataclass(eq=False)
class _Hand:
    """One worker, what it is doing, and since when."""

    ray: Any
    actor: Any
    task: _Task | None = None
    since: float = math.inf
    died: str | None = None
    answers: Any = field(default=None, repr=False)

    def take(self, task: _Task) -> None:
        """Begin an assignment."""
        self.task, self.since = task, math.inf
        self.answers = self.actor.answer.options(num_returns="streaming").remote(task.left)

    def said(self) -> Iterator[Finished]:
        """Yield what it has just said."""
        assert self.task is not None
        try:
            with held_back():
                line = self.ray.get(next(self.answers))
        except StopIteration:
            yield Finished(self.task.assignment)
            self.task = None
            return
        except self.ray.exceptions.RayError as error:
            self.died = (str(error).strip().splitlines() or [type(error).__name__])[-1]
            return
        if line == BEGUN:
            self.since = time.monotonic()
            return
        with suppress(ValidationError):  # not one of ours: the finding that is missing for it will say that it failed
            record = Record.model_validate_json(line)
            self.task = replace(self.task, given=self.task.given | {record.key})
            yield Finished(self.task.assignment, record)

    def lost(self, timeout: float | None) -> str | None:
        """Say why nothing more will come of an assignment; None while something may."""
        if self.died is not None:
            return f"Its Ray worker ended unexpectedly, twice ({self.died})."
        if timeout is not None and time.monotonic() - self.since > timeout and self.task is not None:
            return f"It took longer than {timeout:g} s (--timeout)."
        return None

    def failures(self, reason: str) -> Iterator[Finished]:
        """Yield what has to be said of an assignment that ended too early."""
        assert self.task is not None
        for record in self.task.assignment.failures(self.task.given, reason):
            yield Finished(self.task.assignment, record)
        yield Finished(self.task.assignment)

    def dismiss(self) -> None:
        """End the worker."""
        self.ray.kill(self.actor)
