"""Names of results: each made of what went in and of the code that made it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from seepage.attacks import ATTACKS, Attack
from seepage.audit.plan.attacks import built_attack
from seepage.audit.plan.plan import Choice
from seepage.audit.plan.settings import build
from seepage.audit.stages.chaining import labels_granted
from seepage.audit.stages.fingerprints import Sources, digest, versions
from seepage.audit.stages.work import Attempt, Job, Release, Training, is_weighed
from seepage.catalogs import Catalog
from seepage.defenses import DEFENSES
from seepage.federations import FEDERATIONS
from seepage.hooks import Seam, Verifying
from seepage.messages import ModelKind
from seepage.networks.backbones import BACKBONES
from seepage.settings import flat

STAGES: Final = "seepage.audit.stages"
TRAINING_CODE: Final = (f"{STAGES}.bench", f"{STAGES}.training")
"""What comes before and during training: tables, their encoding, who takes part, and the training itself."""
RESULT_CODE: Final = (f"{STAGES}.carrying_out",)
"""All that a worker runs to come from a training to results; scoring and what applies are part of it."""
Rivals = tuple[tuple[str, ...], str]
"""Among which attempts one adversary chooses: whose they are, and what they are after."""


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
        return JobKeys(tuple(self._release(training, job, release) for release in job.releases))

    def training(self, training: Training) -> str:
        """Name one training."""
        acting = [(catalog, choice.name) for catalog, choice in _acting_in_training(training) if choice is not None]
        bottom = flat(build(FEDERATIONS, training.federation.name, training.federation.settings)).get("bottom")
        acting += [(BACKBONES, name) for name in BACKBONES if name == bottom]
        return digest(
            "training",
            _described(training),
            self.data_checksum,
            str(sorted(versions().items())),
            self._code(TRAINING_CODE, acting),
        )

    def _release(self, training: str, job: Job, release: Release) -> ReleaseKeys:
        made_by = self._code(RESULT_CODE, _acting_after_training(job.defense_of(release)))
        shown = f"{release.model} {release.predictions}"
        worth = digest("release", training, _spelled(DEFENSES, release.defense), shown, made_by)
        tried = [(attempt, attack_of(attempt)) for attempt in release.attempts]
        granted: dict[Rivals, list[int]] = {}  # labels that rivals are granted
        for attempt, attack in tried:
            if is_weighed(attempt, attack):
                granted.setdefault((attempt.adversary, attack.steals), []).append(labels_granted(attack))
        return ReleaseKeys(worth, tuple(self._attempt(worth, *one, granted) for one in tried))

    def _attempt(
        self, release: str, attempt: Attempt, attack: Attack[Any], granted: Mapping[Rivals, Sequence[int]]
    ) -> AttemptKeys:
        made_by = self._code((), _tried(attempt.attack.name, attack))
        about = (attempt.attack.name, repr(attack), str(attempt.asked), repr(attempt.adversary))
        finding = digest("attempt", release, *about, made_by)
        rivals = granted.get((attempt.adversary, attack.steals), ()) if is_weighed(attempt, attack) else ()
        if len(rivals) < 2:
            return AttemptKeys(finding, None)
        return AttemptKeys(finding, digest("evidence", finding, str(max(rivals))))  # each is checked on what one knows

    def _code(self, stage: tuple[str, ...], used: Iterable[tuple[Catalog[Any], str]]) -> str:
        """Return a digest of the code of a stage and of all that is used there by name, ours and others'."""
        entries = [catalog.entry(part) for catalog, name in used for part in catalog.parts(name)]
        ours = [entry.place.partition(":")[0] for entry in entries if not entry.outside]
        return digest(self.sources.behind(*stage, *ours), *(entry.fingerprint for entry in entries if entry.outside))


def attack_of(attempt: Attempt) -> Attack[Any]:
    """Build the attack of an attempt."""
    return built_attack(attempt.attack.name, attempt.attack.settings)


def _acting_in_training(training: Training) -> tuple[tuple[Catalog[Any], Choice | None], ...]:
    return (FEDERATIONS, training.federation), (DEFENSES, training.defense), (ATTACKS, training.tampering)


def _acting_after_training(choice: Choice | None) -> Iterator[tuple[Catalog[Any], str]]:
    """Yield the defense of a release, and every attack that it may mimic."""
    if choice is None:
        return
    yield DEFENSES, choice.name
    defense = build(DEFENSES, choice.name, choice.settings)
    if Seam.VERIFICATION in defense.acts_on:
        mimicked = {cast("Verifying", defense).mimicked(kind) for kind in ModelKind}
        for name in sorted(filter(None, mimicked)):
            yield from _tried(name, built_attack(name))


def _tried(name: str, attack: Attack[Any]) -> Iterator[tuple[Catalog[Any], str]]:
    """Yield an attack, and the one that it builds on."""
    yield ATTACKS, name
    if attack.needs.labels_from is not None:
        yield ATTACKS, attack.needs.labels_from


def _described(training: Training) -> str:
    """Write a training so that the same always reads the same, wherever its table lies, defaults named or not."""
    joint = set() if training.alone else {"alone"}  # what others train with keeps its name
    rest = training.model_dump(mode="json", exclude={"federation", "defense", "tampering", *joint})
    data = rest["setting"]["data"]
    data |= {"file": None, "vocabulary": None, "title": training.setting.data.title}  # the checksum stands for contents
    acting = [_spelled(catalog, choice) for catalog, choice in _acting_in_training(training)]
    return json.dumps([rest, acting], sort_keys=True)


def _spelled(catalog: Catalog[Any], choice: Choice | None) -> str:
    """Write a name with all of its settings, those too that are left at their default."""
    if choice is None:
        return ""
    if catalog is ATTACKS:
        return f"{choice.name} {built_attack(choice.name, choice.settings)!r}"
    return f"{choice.name} {build(catalog, choice.name, choice.settings)!r}"
