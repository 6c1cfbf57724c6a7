"""From a plan to the work that it means, and from what was found to findings."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from seepage.audit.engines.engine import Engine, Here
from seepage.audit.engines.processes import Processes
from seepage.audit.engines.stopping import uninterrupted
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.folder import AuditFolder, open_folder
from seepage.audit.findings.unfinished import Unfinished
from seepage.audit.isolation.limits import Isolation, Limits
from seepage.audit.plan.plan import Plan
from seepage.audit.recordings.stored_places import stored_places
from seepage.audit.stages.assignment import Assignment
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.choosing import grounded, picked
from seepage.audit.stages.jobs import Shown, planned
from seepage.audit.stages.keys import JobKeys, Keys
from seepage.audit.stages.preflight import refuse_idle_properties, refuse_repeats, with_share_holder
from seepage.audit.stages.remarks import tell
from seepage.audit.stages.work import Job, Record
from seepage.errors import BadPlan

Progress = Callable[[int, int, Job | None], None]


def _silent(done: int, total: int, job: Job | None) -> None:
    del done, total, job


@dataclass(frozen=True)
class Sweep:
    """The jobs of one plan, in which order their findings are told, and whose worth each is compared with.

    Parameters
    ----------
    shown
        Every release whose findings are wanted, in the order of the plan.
    bench
        What was read and encoded while the plan was checked.
    """

    plan: Plan
    jobs: tuple[Job, ...]
    shown: tuple[Shown, ...]
    data_checksum: str
    bench: Bench = field(default_factory=Bench, repr=False)


def plan_sweep(plan: Plan) -> Sweep:
    """Check everything that can be checked without training, and list what there is to do."""
    bench = Bench()
    table = bench.table(plan.data)
    refuse_repeats(plan)
    refuse_idle_properties(plan)
    plan = with_share_holder(plan)
    jobs, shown = planned(plan, bench)
    tried = [attempt.attack for job in jobs for _, attempt in job.tried()]
    for attack in plan.attacks:
        if attack not in tried and not attack.unless:
            raise BadPlan(
                f"{attack.name} is to be tried without a defense only (defended = false), but nothing is trained "
                "without one (undefended = false). Leave one of the two out."
            )
    return Sweep(plan, jobs, shown, table.checksum, bench)


def run_sweep(
    sweep: Sweep,
    *,
    out: Path | None = None,
    jobs: int = 0,
    store: Path | None = None,
    progress: Progress = _silent,
    engine: Engine | None = None,
) -> list[Finding]:
    """Do all that is not done yet, storing each result as soon as it is there.

    Parameters
    ----------
    out
        Where results go; a sweep that was killed continues there. None keeps nothing.
    jobs
        How many worker processes; 0 works in this process.
    store
        Where to store the recorded runs.
    engine
        What carries the work out; by default this process or worker processes, as `jobs` says.
    """
    if jobs == 0 and sweep.plan.timeout is not None:
        raise BadPlan("A timeout can only be kept by worker processes: use one job or more (--jobs 1).")
    if engine is None:
        threads = sweep.plan.threads
        engine = Processes(jobs, sweep.plan.timeout, threads) if jobs else Here(threads, sweep.bench)
    namer = Keys(sweep.data_checksum)
    keys = [namer.of(job) for job in sweep.jobs]
    results: dict[str, Record] = {}
    if out is None:
        _run(sweep, keys, results, None, engine, store, progress)
        return list(_collected(sweep, keys, results))
    with open_folder(out, sweep.plan) as folder:
        try:
            _run(sweep, keys, results, folder, engine, store, progress)
        except KeyboardInterrupt:
            with uninterrupted():
                done = sum(results.keys() >= set(named.all) for named in keys)
                folder.stop(list(_collected(sweep, keys, results)), Unfinished(done, len(keys)))
            raise
        findings = list(_collected(sweep, keys, results))
        folder.finish(findings)
    return findings


def _run(
    sweep: Sweep,
    keys: list[JobKeys],
    results: dict[str, Record],
    folder: AuditFolder | None,
    engine: Engine,
    store: Path | None,
    progress: Progress,
) -> None:
    """Fill in all results, so that whoever is interrupted has those that are there."""
    places = stored_places(store, sweep.jobs, sweep.shown, keys)
    every = {key for named in keys for key in named.all}
    if folder is not None and not places:  # a run that is to be stored has to be made again
        results |= grounded({key: record for key, record in folder.stored().items() if key in every})
    kept = sweep.plan.isolation
    apart = Isolation(kept.ours, Limits(seconds=kept.seconds, memory_gb=kept.memory_gb))
    work = [
        Assignment(job, named, sweep.data_checksum, frozenset(wanted), places, apart)
        for job, named in zip(sweep.jobs, keys, strict=True)
        if (wanted := set(named.all) - set(results))
    ]
    progress(len(results), len(every), None)
    with closing(engine.run(work)) as run:  # whatever is raised here, nobody works on for nobody
        for finished in run:
            record = finished.record
            if record is not None:
                results[record.key] = record
                if folder is not None:
                    folder.keep(finished.assignment.keys.job, record)
            progress(len(results), len(every), finished.assignment.job)
    tell([remark for record in results.values() for remark in record.remarks])


def _collected(sweep: Sweep, keys: list[JobKeys], results: Mapping[str, Record]) -> Iterator[Finding]:
    """Yield findings in the order of the plan, as far as they are there, and what each adversary chose.

    Each has the worth of its undefended twin beside it.
    """
    for shown in sweep.shown:
        release = keys[shown.job].releases[shown.release]
        twin = results.get(keys[shown.twin_job].releases[shown.twin_release].worth)
        undefended = {"utility_undefended": twin.worth.value if twin is not None and twin.worth is not None else None}
        weighed = []
        for one in release.attempts:
            record, weight = results.get(one.finding), results.get(one.evidence or "")
            if record is None or record.finding is None:
                continue  # stopped before it was tried
            finding = record.finding.model_copy(update=undefended)
            yield finding
            if weight is not None and weight.evidence is not None:
                weighed.append((finding, weight.evidence))
        yield from picked(weighed)
