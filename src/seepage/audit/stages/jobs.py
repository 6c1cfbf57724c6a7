"""From a plan to jobs: what shares a training is one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from seepage.audit.plan.plan import Choice, Plan
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.keys import attack_of
from seepage.audit.stages.preflight import Offer, attempts_under, partition_under, setting_of, suited
from seepage.audit.stages.work import Attempt, Job, Release, Training, acts_afterwards
from seepage.partition import Partition


@dataclass(frozen=True)
class Shown:
    """A release whose findings are wanted, and what its worth is compared with, by number.

    That is the release that says what the model was worth undefended, and the job that says what the label holder's
    own model is worth; None where nobody asks that.
    """

    job: int
    release: int
    undefended_job: int
    undefended_release: int
    alone_job: int | None = None


@dataclass(frozen=True)
class Group:
    """Attempts that share a training: those of honest adversaries, or one of an adversary that misbehaves."""

    attempts: tuple[Attempt, ...]
    tampering: Choice | None = None

    @property
    def name(self) -> str | None:
        """What tells it from other groups of its seed; nothing for honest adversaries."""
        return self.attempts[0].model_dump_json(exclude={"possible"}) if self.tampering is not None else None


@dataclass(frozen=True)
class _Drafts:
    """Trainings in the order in which they were first needed, each with the releases that were asked of it."""

    releases: dict[str, list[Release]] = field(default_factory=dict)
    trainings: dict[str, Training] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def place(self, training: Training, release: Release) -> tuple[int, int]:
        """Return where a release stands, or put it there."""
        name = training.model_dump_json()
        number = self.numbers.setdefault(name, len(self.numbers))
        self.trainings.setdefault(name, training)
        held = self.releases.setdefault(name, [])
        if release not in held:
            held.append(release)
        return number, held.index(release)

    def undefended(self, training: Training, release: Release) -> tuple[int, int]:
        """Return where the same training stands that nobody defends and nobody tampers with, shown as a release is."""
        plain = _undisturbed(training)
        for place, held in enumerate(self.releases.get(plain.model_dump_json(), ())):
            if held.defense is None:
                return self.numbers[plain.model_dump_json()], place
        return self.place(plain, Release(model=release.model, predictions=release.predictions))

    def alone(self, training: Training) -> int:
        """Return where the label holder trains a model of the same kind on its own columns, for its worth only."""
        own = _undisturbed(training).model_copy(update={"alone": True})
        return self.place(own, Release(model=False))[0]

    def jobs(self) -> tuple[Job, ...]:
        """Return all of them."""
        return tuple(
            Job(training=training, releases=tuple(self.releases[name])) for name, training in self.trainings.items()
        )


def planned(plan: Plan, bench: Bench, *, alone: bool = True) -> tuple[tuple[Job, ...], tuple[Shown, ...]]:
    """List the jobs of a plan, and the releases whose findings are wanted in the order of the plan.

    Attacks that do not apply to a federation are listed once, not for every
    defense. A defense is left out where it cannot act, unless it can act nowhere:
    its findings then say why. Defenses that act after training share one.

    Jobs come seed by seed, so that a worker has the rows and columns of a seed at hand, and an audit that is
    stopped has finished some seeds rather than some federations.

    Parameters
    ----------
    alone
        Whether the label holder also trains alone, once for each federation and seed.
    """
    acting = {number: suited(plan, federation, bench) for number, federation in enumerate(plan.federations)}
    idle = [defense for defense in plan.defenses if not any(defense in chosen for chosen in acting.values())]
    partitions = {seed: partition_under(plan, seed, bench) for seed in plan.seeds}
    found: list[tuple[Training, Release]] = []
    for place, federation in enumerate(plan.federations):
        offer = Offer.of(plan, federation, bench)
        tried = {seed: _sorted(offer, partition) for seed, partition in partitions.items()}
        chosen = [defense for defense in plan.defenses if defense in acting[place] or defense in idle]
        defenses: list[Choice | None] = [*([None] if plan.undefended or not chosen else []), *chosen]
        for number, defense in enumerate(defenses):
            fitting = {seed: _fitting(tried[seed], defense, first=number == 0) for seed in plan.seeds}
            for seed, group in _in_turn({seed: groups(attempts) for seed, attempts in fitting.items()}):
                found.append(_drafted(plan, federation, defense, group, seed))
    return _numbered(found, alone=alone)


def _sorted(offer: Offer, partition: Partition) -> list[Attempt]:
    """Mark which attempts of a plan can be made on a federation; what nobody can make is listed for one adversary."""
    marked = [
        one.model_copy(update={"possible": offer.takes(one, partition)})
        for one in attempts_under(offer.plan, partition)
    ]
    told: dict[str, Attempt] = {}
    for one in sorted(marked, key=lambda attempt: not attempt.possible):
        told.setdefault(one.model_dump_json(include={"attack", "asked"}), one)
    return [one for one in marked if one.possible or one in told.values()]


def _fitting(attempts: Sequence[Attempt], defense: Choice | None, *, first: bool) -> list[Attempt]:
    """Return what is tried under a defense; what cannot be is listed with the first."""
    fit = [one for one in attempts if defense is None or one.attack.defended]
    possible = [one for one in fit if one.possible]
    return [one for one in fit if (first or one.possible) and not _outdone(one, possible)]


def _in_turn(found: Mapping[int, Sequence[Group]]) -> Iterator[tuple[int, Group]]:
    """Yield groups in the order in which any seed has them, all seeds of one before the next."""
    names = dict.fromkeys(group.name for groups in found.values() for group in groups)
    for name in sorted(names, key=lambda one: one is not None):  # honest adversaries come first
        for seed, groups_of_seed in found.items():
            yield from ((seed, group) for group in groups_of_seed if group.name == name)


def _numbered(found: Sequence[tuple[Training, Release]], *, alone: bool) -> tuple[tuple[Job, ...], tuple[Shown, ...]]:
    """Put what shares a training into one job, seed by seed, and say where each release stands."""
    drafts = _Drafts()
    by_seed = sorted(found, key=_seed_of)
    for _, group in groupby(by_seed, key=_seed_of):
        of_seed = list(group)
        for one in of_seed:
            drafts.place(*one)
        for one in of_seed:
            drafts.undefended(*one)
        for training, _ in of_seed if alone else ():
            drafts.alone(training)
    shown = tuple(
        Shown(
            *drafts.place(training, release),
            *drafts.undefended(training, release),
            drafts.alone(training) if alone else None,
        )
        for training, release in found
    )
    return drafts.jobs(), shown


def _undisturbed(training: Training) -> Training:
    """Return the same training without a defense, and with nobody who tampers with it."""
    return training.model_copy(update={"defense": None, "tampering": None, "adversary": (), "asked": None})


def _seed_of(drafted: tuple[Training, Release]) -> int:
    return drafted[0].setting.seed


def groups(attempts: Sequence[Attempt]) -> list[Group]:
    """Group attempts by training: honest adversaries share one, each that misbehaves needs its own."""
    behaving = [attack_of(one).tampering is None for one in attempts]
    honest = tuple(one for one, behaves in zip(attempts, behaving, strict=True) if behaves)
    alone = [one for one, behaves in zip(attempts, behaving, strict=True) if not behaves]
    return [
        *([Group(honest)] if honest else []),
        *(Group((one,), Choice(name=one.attack.name, settings=one.attack.settings)) for one in alone),
    ]


def _drafted(
    plan: Plan, federation: Choice, defense: Choice | None, group: Group, seed: int
) -> tuple[Training, Release]:
    after = defense if defense is not None and acts_afterwards(defense) else None
    training = Training(
        setting=setting_of(plan, seed),
        federation=federation,
        defense=defense if after is None else None,
        tampering=group.tampering,
        adversary=group.attempts[0].adversary if group.tampering is not None else (),
        asked=group.attempts[0].asked if group.tampering is not None else None,
        threads=plan.threads,
        device=plan.device,
    )
    shown = Release(defense=after, model=plan.model, predictions=plan.predictions, attempts=group.attempts)
    return training, shown


def _outdone(one: Attempt, possible: Sequence[Attempt]) -> bool:
    """Whether an attempt is left out, since its adversary can run an attack by which it is outdone."""
    return any(other.attack.name in one.attack.unless and other.adversary == one.adversary for other in possible)
