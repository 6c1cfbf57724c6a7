"""Small plans for tests of an audit, and a count of what is really done."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from seepage.audit.engines.engine import answered
from seepage.audit.plan.plan import Plan
from seepage.audit.stages.assignment import Assignment
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.fingerprints import Sources
from seepage.audit.stages.jobs import planned
from seepage.audit.stages.keys import JobKeys, Keys
from seepage.audit.stages.work import Job, Record
from small_audits import asked, chosen


@pytest.fixture
def plan() -> Callable[..., Plan]:
    """Make a small plan, with changes."""
    return lambda **changes: asked(**{"federations": [chosen("logistic-regression", epochs=2)], **changes})


@pytest.fixture
def jobs_of(plan: Callable[..., Plan]) -> Callable[..., tuple[Job, ...]]:
    """List the jobs of a small plan in which all parties take part."""
    return lambda **changes: planned(plan(**changes), Bench(), alone=False)[0]


@pytest.fixture(scope="session")
def sources() -> Sources:
    """Our code as it is, read once."""
    return Sources()


@pytest.fixture
def named(jobs_of: Callable[..., tuple[Job, ...]], sources: Sources) -> Callable[..., list[JobKeys]]:
    """Name all results of a small plan."""

    def name_all(checksum: str = "checksum", **changes: Any) -> list[JobKeys]:
        return [Keys(checksum, sources).of(job) for job in jobs_of(**changes)]

    return name_all


@pytest.fixture
def carried_out(plan: Callable[..., Plan], sources: Sources) -> Callable[..., dict[str, Record]]:
    """Carry out all jobs of a small plan on one bench, as one worker would; those known already are not wanted."""

    def carry_out(known: Mapping[str, Record] | None = None, bench: Bench | None = None, **changes: Any):
        bench, asked = bench or Bench(), plan(**changes)
        checksum, found = bench.table(asked.data).checksum, dict(known or {})
        for job in planned(asked, bench)[0]:
            keys = Keys(checksum, sources).of(job)
            wanted = frozenset(keys.all) - set(found)
            if wanted:
                assignment = Assignment(job, keys, checksum, wanted)
                found |= {record.key: record for record in answered(assignment, bench, 1)}
        return found

    return carry_out


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Counter[str]]:
    """Count how often some methods are called, by the name of their class."""

    def count(*methods: tuple[Any, str]) -> Counter[str]:
        calls: Counter[str] = Counter()
        for owner, name in methods:
            whole = getattr(owner, name)

            def counting(*given: Any, whole: Any = whole, owner: Any = owner, **others: Any) -> Any:
                calls[owner.__name__] += 1
                return whole(*given, **others)

            monkeypatch.setattr(owner, name, counting)
        return calls

    return count
