"""What a plan comes to before any of it is done: how much, how long, and what adversaries are taken to know."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from seepage.attacks import Attack
from seepage.attacks.attack import ASSETS
from seepage.audit.forecast import expected_wait
from seepage.audit.plan.attacks import built_attack
from seepage.audit.plan.plan import AttackChoice, Choice
from seepage.audit.stages.chaining import labels_granted
from seepage.audit.stages.preflight import partition_under
from seepage.audit.stages.preparation import adversaries_of, parties_of
from seepage.audit.stages.work import Attempt
from seepage.audit.sweep import Sweep


@dataclass(frozen=True)
class Assumed:
    """Something that adversaries are taken to know, and the attacks that build on it."""

    what: str
    attacks: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Outline:
    """What would be done, of a sweep that nobody has begun.

    Parameters
    ----------
    workers
        How many work at once.
    """

    sweep: Sweep
    workers: int

    @property
    def parties(self) -> tuple[str, ...]:
        """All parties, the one with the labels first."""
        return parties_of(self.sweep.plan.partition)

    @cached_property
    def tried(self) -> tuple[Attempt, ...]:
        """All attempts that can be made."""
        return tuple(attempt for job in self.sweep.jobs for _, attempt in job.tried() if attempt.possible)

    @cached_property
    def attacks(self) -> Mapping[str, tuple[str, ...]]:
        """Asset → the attacks that can be tried on it somewhere, each with the settings that tell it apart."""
        possible = {attempt.attack.model_dump_json() for attempt in self.tried}
        by_asset: dict[str, list[AttackChoice]] = {asset: [] for asset in ASSETS}
        for choice in self.sweep.plan.attacks:
            if choice.model_dump_json() in possible:
                by_asset[_built(choice).steals].append(choice)
        return {asset: tuple(labelled(choices)) for asset, choices in by_asset.items()}

    @cached_property
    def adversaries(self) -> Mapping[tuple[str, ...], tuple[str, ...]]:
        """Who is curious → about what, under whichever seed."""
        plan, found = self.sweep.plan, dict[tuple[str, ...], set[str]]()
        partitions = {seed: partition_under(plan, seed, self.sweep.bench) for seed in plan.seeds}
        for job in self.sweep.jobs:
            for attempt in {one.model_dump_json(): one for _, one in job.tried() if one.possible}.values():
                attack, named = _built(attempt.attack), attempt.adversary or plan.adversary
                who = adversaries_of(attack, named, partitions[job.seed], attempt.asked)
                found.setdefault(who, set()).add(attack.steals)
        return {who: tuple(asset for asset in ASSETS if asset in assets) for who, assets in found.items()}

    @cached_property
    def assumed(self) -> tuple[Assumed, ...]:
        """What adversaries are taken to know beside their own columns and what is sent to them, the least first."""
        found: dict[str, dict[str, None]] = {}
        for attempt in self.tried:
            for what in _known(_built(attempt.attack), self.sweep.plan.model):
                found.setdefault(what, {})[attempt.attack.name] = None
        return tuple(
            Assumed(what, tuple(names)) for what, names in sorted(found.items(), key=lambda one: _rank(one[0]))
        )

    @property
    def seconds(self) -> float:
        """How long it takes, right within a factor of two on machines like ours."""
        table = self.sweep.bench.table(self.sweep.plan.data)
        return expected_wait(self.sweep.jobs, table.rows, len(table.columns), self.workers)


NOTHING = "nothing"
MODELS = "the parties' models, once they are released"
MEANS = "the mean of each of the others' columns"
AUXILIARY = "who has the property, of up to 5 % of the training rows on either side"
COMPLETE = "everybody's columns for these rows and for rows outside training"


def _known(attack: Attack[Any], model: bool) -> Iterator[str]:
    """Yield what an attack is granted."""
    needs, labels = attack.needs, labels_granted(attack)
    if labels:
        yield f"the labels of {labels} training rows of each class"
    if needs.known_values:
        yield f"the others' values in {needs.known_values} training rows"
    if needs.means:
        yield MEANS
    if needs.models and model:
        yield MODELS
    if needs.auxiliary is not None:
        rows = needs.auxiliary.rows
        yield AUXILIARY if rows is None else f"who has the property, of {rows:,} training rows on either side"
    if needs.complete:
        yield COMPLETE
    if not (labels or needs.known_values or needs.means or needs.models or needs.auxiliary is not None):
        yield NOTHING


def _rank(what: str) -> tuple[int, str]:
    order = (NOTHING, "the labels", "the others'", MEANS, MODELS, "who has", COMPLETE)
    return next(place for place, start in enumerate(order) if what.startswith(start)), what


def labelled(choices: Sequence[Choice]) -> Iterator[str]:
    """Yield each name once, with the settings that were given and how many more there are.

    >>> chosen = [Choice(name="top-k", settings={"share": share}) for share in (0.1, 0.5)]
    >>> list(labelled([Choice(name="rounding"), *chosen]))
    ['rounding', 'top-k (share=0.1; share=0.5)']
    """
    by_name: dict[str, list[Choice]] = {}
    for choice in choices:
        by_name.setdefault(choice.name, []).append(choice)
    for name, same in by_name.items():
        told = [", ".join(f"{key}={value}" for key, value in one.settings.items()) or "default" for one in same]
        yield name if told == ["default"] else f"{name} ({'; '.join(told)})"


def _built(choice: Choice) -> Attack[Any]:
    return built_attack(choice.name, choice.settings)
