"""The seam every engine fits: it carries work out, and the same bits come from each."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from seepage.audit.isolation.limits import isolating
from seepage.audit.stages.assignment import Assignment
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.work import Record
from seepage.errors import reason_of


@dataclass(frozen=True, eq=False)
class Finished:
    """One record of one assignment; None when the assignment is done."""

    assignment: Assignment
    record: Record | None = None


class Engine(Protocol):
    """Carries assignments out, in any order."""

    def run(self, work: Sequence[Assignment]) -> Generator[Finished]:
        """Yield every record as it is found, and after the last one of an assignment that it is done.

        Whoever does not read to the end closes it: what was still being done then ends.
        """
        ...


def answered(assignment: Assignment, bench: Bench, threads: int) -> Iterator[Record]:
    """Carry out one assignment with so many threads; whatever goes wrong becomes findings that say so."""
    from seepage.audit.engines.engine import limited_threads
    from seepage.audit.stages.carrying_out import carry_out

    given: set[str] = set()
    try:
        with limited_threads(threads), isolating(assignment.isolation):
            for record in carry_out(assignment, bench):
                given.add(record.key)
                yield record
        return
    except (Exception, SystemExit) as error:  # the edge of a worker: one bad job must not lose the others
        reason = reason_of(error)
    yield from assignment.failures(frozenset(given), reason)


@dataclass(frozen=True, eq=False)
class Here:
    """Works in this process, one assignment after the other, as notebooks want it."""

    threads: int = 1
    bench: Bench = field(default_factory=Bench)

    def run(self, work: Sequence[Assignment]) -> Generator[Finished]:
        """Yield what is found."""
        for assignment in work:
            for record in answered(assignment, self.bench, self.threads):
                yield Finished(assignment, record)
            yield Finished(assignment)


@contextmanager
def limited_threads(count: int) -> Iterator[None]:
    """Give PyTorch, BLAS, OpenMP and our own kernels so many threads inside, and what they had afterwards."""
    import torch
    from threadpoolctl import threadpool_limits

    from seepage.threads import kernel_threads

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        with threadpool_limits(limits=count), kernel_threads(count):
            yield
    finally:
        torch.set_num_threads(before)
