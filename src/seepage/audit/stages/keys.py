"""Names of results: each made of what went in and of the code that made it."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from seepage.attacks import ATTACKS, Attack
from seepage.audit.plan.attacks import built_attack
from seepage.audit.plan.plan import Choice
from seepage.audit.plan.settings import build
from seepage.audit.stages.fingerprints import Sources, digest
from seepage.audit.stages.versions import versions
from seepage.audit.stages.work import Attempt, Job, Release, Training, is_weighed
from seepage.catalogs import Catalog
from seepage.defenses import DEFENSES
from seepage.federations import FEDERATIONS
from seepage.hooks import Seam, Verifying
from seepage.messages import ModelKind

STAGES: Final = "seepage.audit.stages"
TRAINING_CODE: Final = (f"{STAGES}.training",)
RELEASE_CODE: Final = (f"{STAGES}.verification",)
ATTEMPT_CODE: Final = (f"{STAGES}.attacking",)
EVIDENCE_CODE: Final = (f"{STAGES}.choosing",)


@dataclass(frozen=True)
class AttemptKeys:
    """The names of a finding and, where its adversary could choose among several attacks, of what speaks for it."""

    finding: str
    evidence: str | None


@dataclass(frozen=True)
class ReleaseKeys:
    """The names of what a released model was worth, and of all that is tried on it."""

    worth: str
    attempts: tuple[AttemptKeys, ...]


@dataclass(frozen=True)
class JobKeys:
    """The names of all results of one job, and its own, which changes with any of them."""

    releases: tuple[ReleaseKeys, ...]

    @property
    def all(self) -> Iterator[str]:
        """Every name."""
        for release in self.releases:
            yield release.worth
            for one in release.attempts:
                yield one.finding
                if one.evidence is not None:
                    yield one.evidence

    @property
    def job(self) -> str:
        """The name of the job itself."""
        return digest("job", *self.all)


@dataclass(frozen=True)
class Keys:
    """Gives every stage of an audit its key.

    A key says what a stage is given, where that is made by an earlier stage by that stage's key,
    and which code carries it out. What does not change a result has no part in it: a training has the
    same key whatever is recorded of it.

    Parameters
    ----------
    data_checksum
        Of the table that was loaded when the audit began.
    """

    data_checksum: str
    sources: Sources = field(default_factory=Sources)

    def of(self, job: Job) -> JobKeys:
        """Name all results of a job."""
        training = self.training(job.training)
        return JobKeys(tuple(self._release(training, release) for release in job.releases))

    def training(self, training: Training) -> str:
        """Name one training."""
        acting: list[tuple[Catalog[Any], Choice]] = [(FEDERATIONS, training.federation)]
        acting += [(DEFENSES, training.defense)] if training.defense is not None else []
        acting += [(ATTACKS, training.tampering)] if training.tampering is not None else []
        made_by = self._code(TRAINING_CODE, [(catalog, choice.name) for catalog, choice in acting])
        described = _written(_wherever(training))
        return digest("training", described, self.data_checksum, str(sorted(versions().items())), made_by)

    def _release(self, training: str, release: Release) -> ReleaseKeys:
        made_by = self._code(RELEASE_CODE, _acting_after_training(release.defense))
        shown = release.model_copy(update={"attempts": ()})  # who attacks changes nothing that is released
        worth = digest("release", training, _written(shown), made_by)
        weighed = [one for one in release.attempts if is_weighed(one)]
        return ReleaseKeys(worth, tuple(self._attempt(worth, one, weighed) for one in release.attempts))

    def _attempt(self, release: str, attempt: Attempt, weighed: list[Attempt]) -> AttemptKeys:
        attack = attack_of(attempt)
        before = attack.needs.labels_from
        names = (attempt.attack.name, *((before,) if before is not None else ()))
        made_by = self._code(ATTEMPT_CODE, [(ATTACKS, name) for name in names])
        described = (attempt.attack.name, repr(attack), str(attempt.asked))  # naming a default changes nothing
        finding = digest("attempt", release, *described, made_by)
        rivals = [attack_of(one) for one in weighed if attack_of(one).steals == attack.steals]
        if attempt not in weighed or len(rivals) < 2:
            return AttemptKeys(finding, None)
        most = max((rival.needs.labels_per_class, rival.needs.known_values) for rival in rivals)
        return AttemptKeys(finding, digest("evidence", finding, str(most), self._code(EVIDENCE_CODE, ())))

    def _code(self, stage: tuple[str, ...], used: Iterable[tuple[Catalog[Any], str]]) -> str:
        """Return a digest of the code of a stage and of all that is used there by name, ours and others'."""
        entries = [catalog.entry(name) for catalog, name in used]
        ours = [entry.place.partition(":")[0] for entry in entries if not entry.outside]
        return digest(self.sources.behind(*stage, *ours), *(entry.fingerprint for entry in entries if entry.outside))


def attack_of(attempt: Attempt) -> Attack[Any]:
    """Build the attack of an attempt."""
    return built_attack(attempt.attack.name, attempt.attack.settings)


def _acting_after_training(choice: Choice | None) -> Iterator[tuple[Catalog[Any], str]]:
    """Yield a defense that acts after training, and every attack that it may mimic."""
    if choice is None:
        return
    yield DEFENSES, choice.name
    defense = build(DEFENSES, choice.name, choice.settings)
    if Seam.VERIFICATION in defense.acts_on:
        mimicked = {cast("Verifying", defense).mimicked(kind) for kind in ModelKind}
        yield from ((ATTACKS, name) for name in sorted(filter(None, mimicked)))


def _wherever(training: Training) -> Training:
    """Return a training without where files lie: the checksum says what they hold, and each machine has its own places.

    >>> from seepage.audit.plan.plan import DataPlan, PartitionPlan
    >>> from seepage.audit.stages.work import Setting
    >>> data = DataPlan(file="/home/ada/people.csv", label="y")
    >>> facts = {"encoding": "one-hot", "scaling": "standard", "split": "stratified", "adversary": (), "seed": 0}
    >>> setting = Setting(data=data, partition=PartitionPlan(), **facts)
    >>> _wherever(Training(setting=setting, federation=Choice(name="forest"))).setting.data.file
    'people.csv'
    """
    data = training.setting.data
    named = {key: held for key in ("file", "vocabulary") if isinstance(held := getattr(data, key), str)}
    bare = data.model_copy(update={key: Path(held).name for key, held in named.items()})
    return training.model_copy(update={"setting": training.setting.model_copy(update={"data": bare})})


def _written(value: Training | Release) -> str:
    return json.dumps(value.model_dump(mode="json"), sort_keys=True)
