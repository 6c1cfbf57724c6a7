"""Names of results: each made of what went in and of the code that made it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
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
        return digest("training", _written(training), self.data_checksum, str(sorted(versions().items())), made_by)

    def _release(self, training: str, release: Release) -> ReleaseKeys:
        made_by = self._code(RELEASE_CODE, _acting_after_training(release.defense))
        shown = release.model_copy(update={"attempts": ()})  # who attacks changes nothing that is released
        worth = digest("release", training, _written(shown), made_by)
        attacks = [attack_of(attempt) for attempt in release.attempts]
        most = {asset: _most_known(attacks, asset) for asset in {attack.steals for attack in attacks}}
        keys = [
            self._attempt(worth, attempt, attack, most[attack.steals])
            for attempt, attack in zip(release.attempts, attacks, strict=True)
        ]
        return ReleaseKeys(worth, tuple(keys))

    def _attempt(
        self, release: str, attempt: Attempt, attack: Attack[Any], most: tuple[int, int] | None
    ) -> AttemptKeys:
        before = attack.needs.labels_from
        names = (attempt.attack.name, *((before,) if before is not None else ()))
        made_by = self._code(ATTEMPT_CODE, [(ATTACKS, name) for name in names])
        described = (attempt.attack.name, repr(attack), str(attempt.asked))  # naming a default changes nothing
        finding = digest("attempt", release, *described, made_by)
        if most is None or not is_weighed(attack):
            return AttemptKeys(finding, None)
        return AttemptKeys(finding, digest("evidence", finding, str(most), self._code(EVIDENCE_CODE, ())))

    def _code(self, stage: tuple[str, ...], used: Iterable[tuple[Catalog[Any], str]]) -> str:
        """Return a digest of the code of a stage and of all that is used there by name, ours and others'."""
        entries = [catalog.entry(name) for catalog, name in used]
        ours = [entry.place.partition(":")[0] for entry in entries if not entry.outside]
        return digest(self.sources.behind(*stage, *ours), *(entry.fingerprint for entry in entries if entry.outside))


def attack_of(attempt: Attempt) -> Attack[Any]:
    """Build the attack of an attempt."""
    return built_attack(attempt.attack.name, attempt.attack.settings)


def _most_known(attacks: Sequence[Attack[Any]], asset: str) -> tuple[int, int] | None:
    """Return the most that rivals know, who are weighed against each other; None where there is one at most."""
    rivals = [attack for attack in attacks if attack.steals == asset and is_weighed(attack)]
    known = [(rival.needs.labels_per_class, rival.needs.known_values) for rival in rivals]
    return max(known) if len(known) > 1 else None


def _acting_after_training(choice: Choice | None) -> Iterator[tuple[Catalog[Any], str]]:
    """Yield a defense that acts after training, and every attack that it may mimic."""
    if choice is None:
        return
    yield DEFENSES, choice.name
    defense = build(DEFENSES, choice.name, choice.settings)
    if Seam.VERIFICATION in defense.acts_on:
        mimicked = {cast("Verifying", defense).mimicked(kind) for kind in ModelKind}
        yield from ((ATTACKS, name) for name in sorted(filter(None, mimicked)))


def _written(value: Training | Release) -> str:
    return json.dumps(value.model_dump(mode="json"), sort_keys=True)
