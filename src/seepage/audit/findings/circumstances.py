"""Under which circumstances something was found: the one place that says which findings belong together."""

import json
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from seepage.audit.findings.finding import CHOSEN, Finding

Key: TypeAlias = tuple[Hashable, ...]
"""What findings of one group share."""
Thing = TypeVar("Thing")
Shared = TypeVar("Shared", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Settings:
    """Plain JSON values that can be a key; the order in which they are given is kept, and makes no difference.

    >>> one, two = Settings({"epochs": 30, "hidden": [16]}), Settings({"hidden": [16], "epochs": 30})
    >>> one == two, hash(one) == hash(two), list(two.values)
    (True, True, ['hidden', 'epochs'])
    """

    values: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def text(self) -> str:
        """The values as canonical JSON: 1 and 1.0 are two settings."""
        return json.dumps(self.values, sort_keys=True, default=str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What was trained, before anybody attacks it; the fields are those of a finding."""

    data: str
    partition: Settings = field(default_factory=Settings)
    encoding: str = "unknown"
    scaling: str = "unknown"
    split: str = "stratified"
    federation: str
    model_settings: Settings = field(default_factory=Settings)
    parties: int
    tampering: str | None = None
    defense: str | None = None
    defense_settings: Settings = field(default_factory=Settings)
    seed: int
    audited_rows: int | None = None
    all_rows: int | None = None

    @property
    def undefended(self) -> Key:
        """What stays the same under every defense and seed; columns may be dealt anew with each seed."""
        return (
            self.data, self.encoding, self.scaling, self.split, self.federation, self.model_settings, self.parties
        )  # fmt: skip

    @property
    def defended(self) -> Key:
        """What tells defenses apart."""
        return (self.defense, self.defense_settings)

    def facts(self) -> dict[str, Any]:
        """Return what a finding says of all this, by the names of its fields."""
        return _plain(self)


@dataclass(frozen=True, kw_only=True)
class Account:
    """What a model was worth as it was released, and how much was sent for it; the fields are those of a finding.

    Nothing stands in it where nothing was trained.
    """

    utility_metric: str | None = None
    utility: float | None = None
    utility_metrics: Settings = field(default_factory=Settings)
    traffic: Settings = field(default_factory=Settings)
    crossed: tuple[Mapping[str, Any], ...] = ()

    def facts(self) -> dict[str, Any]:
        """Return what a finding says of all this, by the names of its fields."""
        return _plain(self)


@dataclass(frozen=True, kw_only=True)
class Circumstances:
    """Who goes for what, by which attack, in which surroundings.

    >>> around = Surroundings(data="iris", federation="forest", parties=2, seed=0)
    >>> found = Circumstances(surroundings=around, adversary=("lab",), asset="labels", attack="id2graph")
    >>> Circumstances.of(Finding(**found.facts())) == found
    True
    """

    surroundings: Surroundings
    adversary: tuple[str, ...]
    asset: str
    property: str | None = None
    attack: str
    attack_settings: Settings = field(default_factory=Settings)
    role: str = "attack"
    rows: str = "train"

    @classmethod
    def of(cls, finding: Finding) -> "Circumstances":
        """Read them off a finding."""
        return cls(surroundings=Surroundings(**_taken(Surroundings, dict(finding))), **_taken(cls, dict(finding)))

    @cached_property
    def aim(self) -> Key:
        """What an adversary is after, whatever the federation."""
        return (self.surroundings.data, self.adversary, self.asset, self.property)

    @cached_property
    def scene(self) -> Key:
        """One aim on one federation: where defenses can be compared."""
        return (*self.aim, *self.surroundings.undefended)

    @cached_property
    def trial(self) -> Key:
        """A scene under one defense: where attacks can be compared."""
        return (*self.scene, *self.surroundings.defended)

    @cached_property
    def attempt(self) -> Key:
        """One attack with its settings; who chooses anew under every seed stays who it is."""
        return (self.attack, None if self.role == CHOSEN else self.attack_settings, self.rows)

    @cached_property
    def line(self) -> Key:
        """One attempt in one trial: findings that differ in their seed alone."""
        return (*self.trial, *self.attempt)

    @cached_property
    def sight(self) -> Key:
        """What one adversary sees of one training, under any seed and whatever it is after."""
        return (self.adversary, *self.surroundings.undefended, *self.surroundings.defended)

    def facts(self) -> dict[str, Any]:
        """Return what a finding says of all this, by the names of its fields."""
        return {**self.surroundings.facts(), **_plain(self)}


def grouped(things: Iterable[Thing], key: Callable[[Thing], Shared]) -> dict[Shared, list[Thing]]:
    """Put together what shares a key, in the order of first appearance.

    >>> grouped(["forest", "boosting", "federation"], len)
    {6: ['forest'], 8: ['boosting'], 10: ['federation']}
    """
    groups: dict[Shared, list[Thing]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return groups


def described(facts: Mapping[str, Any]) -> tuple[Surroundings, Account]:
    """Read off facts, named as the fields of a finding are, what was trained and what that was worth.

    >>> around, account = described({"data": "iris", "federation": "forest", "parties": 2, "seed": 3, "utility": 0.9})
    >>> around.seed, account.utility
    (3, 0.9)
    """
    return Surroundings(**_taken(Surroundings, facts)), Account(**_taken(Account, facts))


def _taken(kind: type[Surroundings | Account | Circumstances], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Take the fields of a value from all facts, as far as they are there."""
    held = {one.name: facts[one.name] for one in fields(kind) if one.name in facts}
    return {name: Settings(value) if isinstance(value, Mapping) else value for name, value in held.items()}


def _plain(value: Surroundings | Account | Circumstances) -> dict[str, Any]:
    """Return the fields of a value as a finding holds them."""
    held = {one.name: getattr(value, one.name) for one in fields(value) if one.name != "surroundings"}
    return {name: dict(one.values) if isinstance(one, Settings) else one for name, one in held.items()}
