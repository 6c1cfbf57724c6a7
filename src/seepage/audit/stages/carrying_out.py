"""One job from its table to its records: train once, show that under each release, attack it, score."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from seepage.audit.findings.circumstances import Settings
from seepage.audit.remarks import gathered_remarks
from seepage.audit.scoring.visible_bounds import seen_nodes
from seepage.audit.stages.alone import worth_alone
from seepage.audit.stages.applicability import Guarded, inapplicable
from seepage.audit.stages.assignment import Assignment, Trial, Try, counted, misbehavior, surroundings_of
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.chaining import recording, threat_for
from seepage.audit.stages.keys import ReleaseKeys, attack_of
from seepage.audit.stages.measuring import reset_peak_memory
from seepage.audit.stages.preparation import Prepared, adversaries_of, describe
from seepage.audit.stages.trained import Trained
from seepage.audit.stages.training import Misbehaving, aligned, defense_of, federation_of, started, train
from seepage.audit.stages.verification import mimicry
from seepage.audit.stages.work import Evidence, Job, Record, Release, Worth
from seepage.errors import BadSetting
from seepage.partition import PartitionedTable
from seepage.randomness import stream
from seepage.reasons import Refused
from seepage.scores.remembered import Remembered
from seepage.transcript import Agreement, Recording
from seepage.views import grant

UNCHECKED: Final = Evidence()


def carry_out(assignment: Assignment, bench: Bench) -> Iterator[Record]:
    """Yield a record for each wanted key, as it is found.

    What could not be tried has nothing that speaks for it, and what was not trained is worth nothing. Of what
    failed neither is said: it is to be tried again.
    """
    missing, tried = set(assignment.wanted), set[str]()
    for record in _records(assignment, bench):
        if record.finding is not None and record.finding.status != "not applicable":
            tried.add(record.key)
        if record.key in missing:
            missing.remove(record.key)
            yield record
    for keys in assignment.keys.releases:
        if keys.worth in missing:
            yield Record(key=keys.worth, worth=Worth())
        yield from (
            Record(key=one.evidence, evidence=UNCHECKED)
            for one in keys.attempts
            if one.evidence is not None and one.evidence in missing and one.finding not in tried
        )


def _records(assignment: Assignment, bench: Bench) -> Iterator[Record]:
    """Train once, and attack with everything that applies."""
    reset_peak_memory()
    job, training = assignment.job, assignment.job.training
    prepared = bench.prepared(training.setting, assignment.data_checksum)
    secret, seed = prepared.table.checksum, job.seed
    federation = federation_of(training)
    if training.alone:
        yield from (worth_alone(training, prepared.data, one.worth, secret) for one in assignment.keys.releases)
        return
    agreement = federation.agreement(prepared.data)
    trials, idle = _sorted_out(assignment, prepared, agreement)
    yield from idle
    if not any(_awaited(assignment, trial) for trial in trials):
        return
    try:
        with gathered_remarks() as early:
            hooks = started(training.defense, prepared.data, seed, secret)
            data = aligned(prepared.data, hooks)
            trials, lacking = _granted(trials, data, seed)
        yield from lacking
        trials = [trial for trial in trials if _awaited(assignment, trial)]
        if not trials:
            return
        acting = [one for trial in trials for one in trial.tries if one.attack.tampering is not None]
        misbehaving = [Misbehaving(one.attack, one.granted) for one in acting[:1]]
        with gathered_remarks() as remarks:
            record = _recording(assignment, trials, agreement)
            run = train(federation, data, hooks, misbehaving, record, seed, secret)
            if any(release.model for release in job.releases):
                run.release_model()
    except BadSetting as error:  # a defense may refuse what a party holds, or lacks
        if training.defense is None:
            raise
        yield from (trial.silent(one, Refused(str(error))) for trial in trials for one in trial.tries)
        return
    trained = Trained(assignment, bench, prepared, data, run, hooks, Remembered(shared=bench.answers))
    for trial in trials:
        yield from trained.records(trial, (*early, *remarks))


def _awaited(assignment: Assignment, trial: Trial) -> bool:
    """Whether something is wanted of a release that takes a training: what it is worth, or an attempt on it.

    Where nothing can be tried on it, nobody asks what it is worth, unless that is all that is asked.
    """
    if trial.keys.worth in assignment.wanted and (trial.tries or not trial.release.attempts):
        return True
    return any(assignment.wants(one.keys) for one in trial.tries)


def _sorted_out(assignment: Assignment, prepared: Prepared, agreement: Agreement) -> tuple[list[Trial], list[Record]]:
    """Tell attempts that can be made from those that cannot, and say why the latter cannot."""
    trials, idle = [], []
    for release, keys in zip(assignment.job.releases, assignment.keys.releases, strict=True):
        trial, lacking = _applicable(assignment.job, release, keys, prepared, agreement)
        trials.append(trial)
        idle += lacking
    return trials, idle


def _applicable(
    job: Job, release: Release, keys: ReleaseKeys, prepared: Prepared, agreement: Agreement
) -> tuple[Trial, list[Record]]:
    setting, acting = job.training.setting, job.defense_of(release)
    defense, guarded = defense_of(acting), None
    if defense is not None and acting is not None:
        guarded = Guarded(federation_of(job.training), defense, acting.name)
    dealt = Settings(describe(prepared, setting.partition.kind))
    trial = Trial(release, keys, replace(surroundings_of(job, release, counted(prepared.table)), partition=dealt), ())
    ready, idle = [], []
    for attempt, named in zip(release.attempts, keys.attempts, strict=True):
        attack, name = attack_of(attempt), attempt.attack.name
        adversaries = adversaries_of(attack, attempt.adversary or setting.adversary, prepared.partition, attempt.asked)
        threat = threat_for(attack, adversaries, shown=release, asked=attempt.asked)
        one = Try(named, name, attack, threat)
        reason = inapplicable(attack, agreement, threat, guarded=guarded)
        if reason is None:
            ready.append(one)
        else:
            idle.append(trial.silent(one, reason))
    return replace(trial, tries=tuple(ready)), idle


def _granted(trials: Sequence[Trial], data: PartitionedTable, seed: int) -> tuple[list[Trial], list[Record]]:
    """Draw what each adversary knows; the table may hold too few rows for what one attack must know."""
    granted, lacking = [], []
    for trial in trials:
        ready = []
        for one in trial.tries:
            try:
                ready.append(replace(one, knowledge=grant(data, one.threat, stream(seed, "knowledge"))))
            except BadSetting as error:
                lacking.append(trial.silent(one, Refused(str(error))))
        tampering = next(filter(None, (misbehavior(one.attack) for one in ready)), None)
        around = replace(trial.surroundings, tampering=tampering)
        granted.append(replace(trial, surroundings=around, tries=tuple(ready)))
    return granted, lacking


def _recording(assignment: Assignment, trials: Sequence[Trial], agreement: Agreement) -> Recording:
    """Return what must be kept of a run for all that is tried on it."""
    job, record = assignment.job, seen_nodes(agreement)
    adversary = job.training.setting.adversary
    for trial in trials:
        for one in trial.tries:
            record |= recording(one.attack) if assignment.wants(one.keys) else Recording()
        defense = defense_of(job.defense_of(trial.release))
        wanted = mimicry(defense, agreement, adversary, model=trial.release.model)
        record |= recording(wanted.attack) if wanted is not None else Recording()
    return record
