"""From a plan to jobs: what shares a training is one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from seepage.audit.plan.plan import AttackChoice, Choice, Plan
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.chaining import asked_by
from seepage.audit.stages.keys import attack_of
from seepage.audit.stages.preflight import applicable, setting_of, suited
from seepage.audit.stages.work import Attempt, Job, Release, Training, acts_afterwards


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

    def undefended(self, training: Training, model: bool) -> tuple[int, int]:
        """Return where the same training stands that nobody defends and nobody tampers with."""
        plain = training.model_copy(update={"defense": None, "tampering": None, "asked": None})
        for place, release in enumerate(self.releases.get(plain.model_dump_json(), ())):
            if release.defense is None:
                return self.numbers[plain.model_dump_json()], place
        return self.place(plain, Release(model=model))

    def alone(self, training: Training) -> int:
        """Return where the label holder trains a model of the same kind on its own columns, for its worth only."""
        own = training.model_copy(update={"defense": None, "tampering": None, "asked": None, "alone": True})
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
    found: list[tuple[Training, Release]] = []
    for place, federation in enumerate(plan.federations):
        possible = applicable(plan, federation, bench)
        chosen = [defense for defense in plan.defenses if defense in acting[place] or defense in idle]
        defenses: list[Choice | None] = [*([None] if plan.undefended or not chosen else []), *chosen]
        for number, defense in enumerate(defenses):
            fit = [choice for choice in possible if defense is None or choice.defended]
            for group in groups(plan):
                tried = tuple(
                    one.model_copy(update={"possible": one.attack in possible})
                    for one in group.attempts
                    if (defense is None or one.attack.defended)
                    and (number == 0 or one.attack in possible)
                    and not _outdone(one.attack, fit)
                )
                if tried:
                    shared = replace(group, attempts=tried)
                    found += [_drafted(plan, federation, defense, shared, seed) for seed in plan.seeds]
    return _numbered(found, plan.model, alone=alone)


def _numbered(
    found: Sequence[tuple[Training, Release]], model: bool, *, alone: bool
) -> tuple[tuple[Job, ...], tuple[Shown, ...]]:
    """Put what shares a training into one job, seed by seed, and say where each release stands."""
    drafts = _Drafts()
    by_seed = sorted(found, key=_seed_of)
    for _, group in groupby(by_seed, key=_seed_of):
        of_seed = list(group)
        for one in of_seed:
            drafts.place(*one)
        for training, _ in of_seed:
            drafts.undefended(training, model)
        for training, _ in of_seed if alone else ():
            drafts.alone(training)
    shown = tuple(
        Shown(
            *drafts.place(training, release),
            *drafts.undefended(training, model),
            drafts.alone(training) if alone else None,
        )
        for training, release in found
    )
    return drafts.jobs(), shown


def _seed_of(drafted: tuple[Training, Release]) -> int:
    return drafted[0].setting.seed


def groups(plan: Plan) -> Iterator[Group]:
    """Group attempts by training: honest adversaries share one, each that misbehaves needs its own."""
    honest: list[Attempt] = []
    alone: list[Attempt] = []
    for choice in plan.attacks:
        attack = attack_of(Attempt(attack=choice))
        asked = [Attempt(attack=choice, asked=one) for one in asked_by(attack, plan.properties)]
        (honest if attack.tampering is None else alone).extend(asked)
    yield Group(tuple(honest))
    for one in alone:
        yield Group((one,), Choice(name=one.attack.name, settings=one.attack.settings))


def _drafted(
    plan: Plan, federation: Choice, defense: Choice | None, group: Group, seed: int
) -> tuple[Training, Release]:
    after = defense if defense is not None and acts_afterwards(defense) else None
    training = Training(
        setting=setting_of(plan, seed),
        federation=federation,
        defense=defense if after is None else None,
        tampering=group.tampering,
        asked=group.attempts[0].asked if group.tampering is not None else None,
        threads=plan.threads,
        device=plan.device,
    )
    return training, Release(defense=after, model=plan.model, attempts=group.attempts)


def _outdone(choice: AttackChoice, possible: list[AttackChoice]) -> bool:
    """Whether an attack is left out, since one that it is outdone by can be run."""
    return any(other.name in choice.unless for other in possible)
