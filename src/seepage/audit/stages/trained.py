"""A run that is over: released under one defense after another, and attacked as it was shown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from seepage.audit.findings.circumstances import Account, Settings
from seepage.audit.findings.finding import Finding
from seepage.audit.recordings.recorded_run import RecordedRun, write_run
from seepage.audit.reliance.pictures import run_pictures
from seepage.audit.remarks import gathered_remarks
from seepage.audit.scoring.truth import Truth, truth_of
from seepage.audit.stages.applicability import inapplicable
from seepage.audit.stages.assignment import Assignment, Trial, Try
from seepage.audit.stages.attacking import Outcome, attack_run, failed, not_applicable
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.chaining import Memory
from seepage.audit.stages.choosing import Candidate, weighed
from seepage.audit.stages.preparation import Prepared
from seepage.audit.stages.training import defense_of, federation_of, started
from seepage.audit.stages.verification import Released, mimicry, release_predictions, released_utility
from seepage.audit.stages.work import Record, Worth
from seepage.errors import BadOutput, BadSetting, reason_of
from seepage.federations import Federation, Run
from seepage.hooks import Hook
from seepage.partition import PartitionedTable
from seepage.randomness import stream
from seepage.reasons import Refused
from seepage.scores.remembered import Remembered
from seepage.settings import flat
from seepage.views import Knowledge
from seepage.views.digest import Digests

FIRST_SEED: Final = 0
"""Outputs are laid out under this seed alone: a report shows one picture, and t-SNE takes its time."""
DIVERGED: Final = "The joint model diverged: its predictions are not numbers. "


def diverged(federation: Federation) -> str:
    """Say that training came to nothing, and what to do: a learning rate is named where there is one.

    >>> from seepage.federations.logistic_regression import LogisticRegression
    >>> diverged(LogisticRegression())
    'The joint model diverged: ... Look for extreme values in the columns, or for a defense that is too strong.'
    """
    if "optimizer" in flat(federation):
        return f"{DIVERGED}Lower the learning rate (--model optimizer.learning_rate=0.0001)."
    return f"{DIVERGED}Look for extreme values in the columns, or for a defense that is too strong."


@dataclass(frozen=True, eq=False)
class Trained:
    """A run that is over, to be released and attacked."""

    assignment: Assignment
    bench: Bench
    prepared: Prepared
    data: PartitionedTable
    run: Run[Any, Any]
    hooks: dict[str, Hook]
    answers: Remembered = field(default_factory=Remembered)
    digests: Digests = field(default_factory=Digests)

    def records(self, trial: Trial, remarks: tuple[str, ...]) -> Iterator[Record]:
        """Release predictions once more under one defense, and attack what is shown.

        Whatever goes wrong costs what is left of this release, and none of the others.
        """
        given: set[str] = set()
        try:
            for record in self._released(trial, remarks):
                given.add(record.key)
                yield record
        except Exception as error:  # the edge of a release: a defense may be anybody's code
            reason = reason_of(error)
            yield from (trial.broken(one, reason) for one in trial.tries if one.keys.finding not in given)

    def _released(self, trial: Trial, remarks: tuple[str, ...]) -> Iterator[Record]:
        seed, secret = self.assignment.job.seed, self.prepared.table.checksum
        data = without_strangers(self.data, [one.granted for one in trial.tries])
        chosen = self.assignment.job.defense_of(trial.release)
        try:
            with gathered_remarks() as told:
                hooks = self.hooks or started(trial.release.defense, self.prepared.data, seed, secret)
                wanted = mimicry(
                    defense_of(chosen), self.run.transcript.agreement, self._adversary, model=trial.release.model
                )
                shown = trial.release.predictions
                released = release_predictions(self.run, data, hooks, wanted, seed, secret, shown=shown)
        except BadSetting as error:  # a defense may refuse what it is to release
            if chosen is None:
                raise
            yield from (trial.silent(one, Refused(str(error))) for one in trial.tries)
            return
        if not np.isfinite(released.confidences).all():
            reason = diverged(federation_of(self.assignment.job.training))
            yield from (trial.broken(one, reason) for one in trial.tries)
            return
        metric, value, metrics = released_utility(data.labels[data.test], released)
        yield Record(key=trial.keys.worth, worth=Worth(metric=metric, value=value), remarks=(*remarks, *told))
        account = Account(
            utility_metric=metric,
            utility=value,
            utility_metrics=Settings(metrics),
            traffic=Settings(dict(self.run.traffic)),
            crossed=released.crossed,
        )
        yield from self._attacked(replace(trial, account=account), data, released)

    @property
    def _adversary(self) -> tuple[str, ...]:
        return self.assignment.job.training.setting.adversary

    def _attacked(self, trial: Trial, data: PartitionedTable, released: Released) -> Iterator[Record]:
        """Attack what is shown in every wanted way, and say what speaks for each."""
        same = data.test is self.data.test  # blind answers about other rows are others
        memory = Memory(
            self.bench.guesses, self.answers if same else Remembered(shared=self.bench.answers), self.digests
        )
        place = self.assignment.place(trial.keys)
        if place is not None and len(trial.tries) > 1:
            raise BadOutput("A stored run holds one adversary's knowledge: store the runs of attacks one by one.")
        candidates, truth = [], Truth(data.labels)
        for one in trial.tries:
            outcome = None
            if self.assignment.wants(one.keys):
                with gathered_remarks() as told:
                    outcome = self._outcome(trial, one, data, released, memory, place)
                yield Record(key=one.keys.finding, finding=outcome.finding, remarks=tuple(told))
            candidates.append(Candidate(one.name, one.attack, one.granted, outcome, truth, one.keys.evidence))
        for key, evidence in weighed(candidates, self.assignment.job.seed, memory):
            yield Record(key=key, evidence=evidence)

    def _outcome(
        self,
        trial: Trial,
        one: Try,
        data: PartitionedTable,
        released: Released,
        memory: Memory,
        place: Path | None,
    ) -> Outcome:
        """Attack once; whatever goes wrong costs this finding alone."""
        reason = inapplicable(one.attack, released.transcript.agreement, one.threat, released=released)
        if reason is not None:
            return Outcome(not_applicable(trial.circumstances(one), reason, trial.account))
        knowledge = replace(one.granted, new=data.test)
        truth = truth_of(
            data,
            one.threat.adversaries,
            columns=one.attack.steals == "features",
            asked=one.threat.property,
            before=self.prepared.data.train,
        )
        recorded = RecordedRun(released.transcript, knowledge, truth, trial.surroundings, trial.account)
        if place is not None:
            write_run(recorded, place)
        try:
            outcome = attack_run(recorded, one.attack, one.name, memory)
            return replace(outcome, finding=self._illustrated(outcome.finding, trial, one, data))
        except Exception as error:  # attempts answer for themselves: this is scoring, or a picture, that broke
            return Outcome(failed(trial.circumstances(one), reason_of(error), trial.account))

    def _illustrated(self, finding: Finding, trial: Trial, one: Try, data: PartitionedTable) -> Finding:
        """Add pictures of what the adversary's bottom model knows, where one was attacked and nothing was defended."""
        defended = self.assignment.job.defense_of(trial.release) is not None
        if finding.status != "ok" or defended or not one.attack.needs.bottom:
            return finding
        adversaries, seed = one.threat.adversaries, self.assignment.job.seed
        pictures = self.answers.of(
            ("pictures", adversaries),
            lambda: run_pictures(
                self.run.transcript, data, adversaries, stream(seed, "pictures"), projected=seed == FIRST_SEED
            ),
        )
        return finding.model_copy(update={"pictures": {**finding.pictures, **pictures}})


def without_strangers(data: PartitionedTable, granted: Sequence[Knowledge]) -> PartitionedTable:
    """Leave out of the test rows people who stand in for training rows: a model is not tested on what it learned."""
    known = [knowledge.auxiliary for knowledge in granted if knowledge.auxiliary is not None]
    strangers = [one.source for one in known if not one.aligned]
    return replace(data, test=np.setdiff1d(data.test, np.concatenate(strangers))) if strangers else data
