"""From a plan to the work that it means, and from what was found to findings."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from seepage.audit.engines.chosen import EngineChoice
from seepage.audit.engines.engine import Engine
from seepage.audit.engines.stopping import uninterrupted
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.folder import AuditFolder, open_folder
from seepage.audit.findings.notes import Notes
from seepage.audit.findings.unfinished import Unfinished
from seepage.audit.forecast import Forecast, Standing
from seepage.audit.isolation.limits import Isolation, Limits
from seepage.audit.places import stored_places
from seepage.audit.plan.attacks import built_attack
from seepage.audit.plan.plan import Plan
from seepage.audit.remarks import tell
from seepage.audit.stages.assignment import Assignment, counted
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.choosing import grounded, picked
from seepage.audit.stages.fingerprints import Sources
from seepage.audit.stages.jobs import Shown, planned
from seepage.audit.stages.keys import JobKeys, Keys
from seepage.audit.stages.preflight import refuse_idle_properties, refuse_repeats, with_share_holder
from seepage.audit.stages.work import Job, Record
from seepage.audit.suspicions import suspicions
from seepage.data import Table
from seepage.errors import BadPlan, Suspicion
from seepage.scores.metrics import ACCURACY, AUC

Progress = Callable[[Standing], None]


def _silent(standing: Standing) -> None:
    del standing


@dataclass(frozen=True)
class Sweep:
    """The jobs of one plan, in which order their findings are told, and whose worth each is compared with.

    Parameters
    ----------
    shown
        Every release whose findings are wanted, in the order of the plan.
    table
        What was read when the plan was checked; its file may be gone by now.
    bench
        What was read and encoded while the plan was checked.
    bare
        Whether nothing is done or said besides what the plan asks for.
    sources
        Reads the code that results are named by.
    """

    plan: Plan
    jobs: tuple[Job, ...]
    shown: tuple[Shown, ...]
    table: Table = field(repr=False)
    bench: Bench = field(default_factory=Bench, repr=False)
    bare: bool = False
    sources: Sources = field(default_factory=Sources, repr=False)

    @property
    def data_checksum(self) -> str:
        """The digest of that table."""
        return self.table.checksum

    @cached_property
    def keys(self) -> tuple[JobKeys, ...]:
        """The names of all results, job by job."""
        namer = Keys(self.data_checksum, self.sources)
        return tuple(namer.of(job) for job in self.jobs)

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The names of all results together."""
        return frozenset(key for named in self.keys for key in named.all)

    @cached_property
    def notes(self) -> Notes:
        """What looks wrong before anything is trained, and what a constant is worth on this table."""
        commonest = float(np.bincount(self.table.labels).max() / self.table.rows)
        constant = {AUC.name: 0.5, ACCURACY.name: commonest}
        return Notes((*self.table.remarks, *self.suspicions), constant)

    @cached_property
    def suspicions(self) -> tuple[str, ...]:
        """What is told before anything is trained."""
        return suspicions(self.plan, self.bench) if not self.bare else ()

    def noted(self, results: Mapping[str, Record]) -> Notes:
        """Return what to know when reading results: what was said before training, and since."""
        return self.notes.with_remarks([remark for record in results.values() for remark in record.remarks])

    def missing(self, results: Mapping[str, Record]) -> list[int]:
        """Return the places of jobs that are not finished."""
        return [place for place, named in enumerate(self.keys) if not _finished(named, results)]

    def findings(self, results: Mapping[str, Record]) -> Iterator[Finding]:
        """Yield findings in the order of the plan, as far as they are there, and what each adversary chose.

        Each has the worth of its undefended twin beside it, and of the label holder's own model.
        """
        for shown in self.shown:
            release = self.keys[shown.job].releases[shown.release]
            compared = {"utility_undefended": self._worth(results, shown.undefended_job, shown.undefended_release)}
            compared["utility_alone"] = self._worth(results, shown.alone_job)
            weighed = []
            for one in release.attempts:
                record, weight = results.get(one.finding), results.get(one.evidence or "")
                if record is None or record.finding is None:
                    continue  # stopped before it was tried
                finding = record.finding.model_copy(update=compared)
                yield finding
                if weight is not None and weight.evidence is not None:
                    weighed.append((finding, weight.evidence))
            yield from picked(weighed)

    def _worth(self, results: Mapping[str, Record], job: int | None, release: int = 0) -> float | None:
        """Return what a model was worth; None where nobody asked, or it is not there yet."""
        record = results.get(self.keys[job].releases[release].worth) if job is not None else None
        return record.worth.value if record is not None and record.worth is not None else None


def _finished(named: JobKeys, results: Mapping[str, Record]) -> bool:
    """Whether all of a job is there; what a model was worth is owed only where one was trained."""
    tried = [one for release in named.releases for one in release.attempts]
    if any(key is not None and key not in results for one in tried for key in (one.finding, one.evidence)):
        return False
    findings = [results[one.finding].finding for one in tried]
    trained = not tried or any(finding is not None and finding.utility is not None for finding in findings)
    return not trained or all(release.worth in results for release in named.releases)


def plan_sweep(plan: Plan, bench: Bench | None = None, *, bare: bool = False, sources: Sources | None = None) -> Sweep:
    """Check everything that can be checked without training, and list what there is to do.

    Parameters
    ----------
    bare
        Whether to do what the plan says and nothing besides: the label holder does not train alone, and nobody looks
        for what may be wrong with the data.
    sources
        Reads the code that results are named by; whoever plans many sweeps reads it once.
    """
    bench = bench or Bench()
    table = bench.table(plan.data)
    refuse_repeats(plan)
    refuse_idle_properties(plan)
    plan = with_share_holder(plan)
    jobs, shown = planned(plan, bench, alone=not bare)
    tried = [attempt.attack for job in jobs for _, attempt in job.tried()]
    for attack in plan.attacks:
        idle = not plan.properties_kept and built_attack(attack.name, attack.settings).steals == "properties"
        if attack not in tried and not attack.unless and not idle:
            raise BadPlan(
                f"{attack.name} is to be tried without a defense only (defended = false), but nothing is trained "
                "without one (undefended = false). Leave one of the two out."
            )
    return Sweep(plan, jobs, shown, table, bench, bare, sources or Sources())


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
    if engine is None:
        engine = EngineChoice(jobs=jobs).made(sweep.plan, sweep.bench)
    places = stored_places(store, sweep.jobs, sweep.shown, sweep.keys)
    tell(sweep.suspicions, Suspicion)
    results: dict[str, Record] = {}
    if out is None:
        carry_on(sweep, range(len(sweep.jobs)), results, engine, None, progress, places)
        return list(sweep.findings(results))
    with open_folder(out, sweep.plan) as folder:
        try:
            carry_on(sweep, range(len(sweep.jobs)), results, engine, folder, progress, places)
        except KeyboardInterrupt:
            with uninterrupted():
                done = len(sweep.jobs) - len(sweep.missing(results))
                folder.stop(list(sweep.findings(results)), Unfinished(done, len(sweep.jobs)), sweep.noted(results))
            raise
        findings = list(sweep.findings(results))
        folder.finish(findings, sweep.noted(results))
    return findings


def carry_on(
    sweep: Sweep,
    share: Collection[int],
    results: dict[str, Record],
    engine: Engine,
    folder: AuditFolder | None,
    progress: Progress,
    places: tuple[tuple[str, Path], ...] = (),
) -> None:
    """Fill in the results of some jobs, so that whoever is interrupted has those that are there.

    Parameters
    ----------
    share
        Which jobs, by their place in the plan.
    places
        Where what was recorded is to be stored, by the key of a release.
    """
    keys = {place: sweep.keys[place] for place in share}
    every = {key for named in keys.values() for key in named.all}
    if folder is not None and not places:  # a run that is to be stored has to be made again
        stored = folder.stored()
        results |= grounded({key: record for key, record in stored.items() if key in every})
        tell(_unused(sweep, stored, folder.path))
    work = [
        assigned(sweep, place, frozenset(wanted), named, places)
        for place, named in keys.items()
        if (wanted := set(named.all) - set(results))
    ]
    do_work(work, results, engine, folder, progress, sweep.table)
    tell([remark for record in results.values() for remark in record.remarks])


def assigned(
    sweep: Sweep, place: int, wanted: frozenset[str], keys: JobKeys, places: tuple[tuple[str, Path], ...] = ()
) -> Assignment:
    """Return what a worker is told about one job of a sweep, some of whose results are wanted."""
    kept = sweep.plan.isolation
    apart = Isolation(kept.ours, Limits(seconds=kept.seconds, memory_gb=kept.memory_gb))
    return Assignment(sweep.jobs[place], keys, sweep.data_checksum, wanted, places, apart, counted(sweep.table))


def do_work(
    work: Sequence[Assignment],
    results: dict[str, Record],
    engine: Engine,
    folder: AuditFolder | None,
    progress: Progress,
    table: Table,
) -> None:
    """Have assignments carried out, and put every result where it is kept as soon as it is there."""
    total = len(results) + sum(len(one.wanted) for one in work)
    workers = min(getattr(engine, "count", None) or 1, max(1, len(work)))
    forecast = Forecast.of(work, table, workers)
    progress(Standing(len(results), total, None, forecast.seconds_left))
    with closing(engine.run(work)) as run:  # whatever is raised here, nobody works on for nobody
        for finished in run:
            record = finished.record
            if record is not None:
                results[record.key] = record
                forecast.seen(finished.assignment.keys.job)
                if folder is not None:
                    folder.keep(finished.assignment.keys.job, record)
            progress(Standing(len(results), total, finished.assignment.job, forecast.seconds_left))


def _unused(sweep: Sweep, stored: Mapping[str, Record], folder: Path) -> list[str]:
    """Say how many findings lie in a folder that answer nothing: what they were made of, or by, has changed."""
    unused = [key for key, record in stored.items() if record.finding is not None and key not in sweep.wanted]
    if not unused:
        return []
    findings = "1 stored finding" if len(unused) == 1 else f"{len(unused)} stored findings"
    return [
        f"Not reused: {findings} in {folder}. Since then code, versions, data or a setting such as --threads changed."
    ]
