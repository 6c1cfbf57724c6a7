"""What partners agree on before a rehearsal: the same file lies on every host, and its digest is compared."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from seepage.audit.plan.attacks import built_attack
from seepage.audit.plan.defaults import default_choices
from seepage.audit.plan.plan import MOST_PARTIES, MOST_SEEDS, MOST_THREADS, AttackChoice, Choice, read_toml
from seepage.audit.plan.settings import build, first_complaint
from seepage.audit.stages.training import defense_of
from seepage.data import Property
from seepage.defenses import DEFENSES
from seepage.errors import AuditError, BadPlan, UnknownName
from seepage.federations import FEDERATIONS, Federation
from seepage.federations.dialogue import Rules
from seepage.hooks import Defense, Seam
from seepage.links.alignment import MOST
from seepage.links.keys import check_name, is_fingerprint

FORMAT: Final = 1
SAMPLE: Final = 1_000
"""Rows that take part where nobody says how many: what a rehearsal discloses, it discloses of these alone."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class Grants(_Part):
    """What owners tell everybody before anything is trained, so that adversaries who know a little can be tried.

    Parameters
    ----------
    labels_per_class
        Of how many training rows of each class the label holder tells the label.
    values
        Of how many training rows everybody tells its encoded columns.
    means
        Whether everybody tells the mean of each encoded column.
    people
        Of how many training rows with a property, and of as many without, its holder tells which is which.
    """

    labels_per_class: int = Field(default=0, ge=0)
    values: int = Field(default=0, ge=0)
    means: bool = False
    people: int = Field(default=0, ge=0)


class RehearsalPlan(_Part):
    """All that partners agree on. What a key means is told in docs/rehearsal.md."""

    format: int = FORMAT
    name: str = Field(default="rehearsal", min_length=1, max_length=80)
    parties: tuple[str, ...] = Field(min_length=2, max_length=MOST_PARTIES)
    fingerprints: dict[str, str] = {}
    classes: int = Field(ge=2, le=10_000)
    rows: int = Field(default=SAMPLE, ge=10)
    test: float = Field(default=0.2, gt=0, lt=1)
    most_ids: int = Field(default=MOST, ge=1)
    encoding: Literal["one-hot", "ordinal", "hash"] = "one-hot"
    scaling: Literal["standard", "minmax"] = "standard"
    columns: bool = True
    federations: tuple[Choice, ...] = Field(min_length=1)
    attacks: tuple[AttackChoice, ...] = ()
    defenses: tuple[Choice, ...] = ()
    undefended: bool = True
    properties: tuple[str, ...] = ()
    seeds: tuple[int, ...] = Field(default=(0,), min_length=1)
    model: bool = False
    predictions: bool = True
    scores: bool = False
    told: bool = True
    decoys: int = Field(default=0, ge=0)
    simulated: bool = False
    grants: Grants = Grants()
    threads: int = Field(default=1, ge=1, le=MOST_THREADS)

    @field_validator("seeds", mode="before")
    @classmethod
    def _count_or_list(cls, value: Any) -> Any:
        return tuple(range(min(value, MOST_SEEDS))) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("seeds")
    @classmethod
    def _seeds_differ(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if min(value) < 0 or len(set(value)) != len(value):
            raise ValueError(f"seeds must be different numbers from 0 on, got {list(value)}")
        return value

    @field_validator("properties")
    @classmethod
    def _as_properties_are_written(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(Property.parse(text)) for text in value))

    @field_validator("format")
    @classmethod
    def _known_format(cls, value: int) -> int:
        if value != FORMAT:
            raise ValueError(f"the plan has format {value}, but this version of Seepage reads {FORMAT}")
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> "RehearsalPlan":
        if len(set(self.parties)) != len(self.parties):
            raise ValueError(f"each party must be named once, got {', '.join(self.parties)}")
        for name in self.parties:
            check_name(name)
        for name, told in self.fingerprints.items():
            if not is_fingerprint(told):
                raise ValueError(
                    f"what stands as the fingerprint of '{name}' is none; 'seepage keys {name}' printed it"
                )
        if self.decoys == 1:
            raise ValueError("decoys must be 0 for true labels, or 2 people and more who share theirs out anew, got 1")
        strangers = set(self.fingerprints) - set(self.parties)
        if strangers:
            raise ValueError(
                f"fingerprints name '{min(strangers)}', who is no party; parties are {', '.join(self.parties)}"
            )
        if not self.undefended and not self.defenses:
            raise ValueError("undefended is false and there are no defenses, so nothing is left to try; name a defense")
        return self

    @property
    def driver(self) -> str:
        """The party with the labels, which drives."""
        return self.parties[0]

    @property
    def others(self) -> tuple[str, ...]:
        """All parties but that one."""
        return self.parties[1:]

    @cached_property
    def digest(self) -> str:
        """What both sides compare: equal plans have equal digests, however they are written."""
        written = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(written.encode()).hexdigest()

    @cached_property
    def turns(self) -> tuple["Turn", ...]:
        """All trainings, in the order in which they are rehearsed: without a defense first."""
        misbehaving = [one for one in self.tried if built_attack(one.name, one.settings).tampering is not None]
        named = _names([*self.federations, *self.defenses, *misbehaving])
        drafts = [
            (seed, federation, defense, tampering)
            for seed in self.seeds
            for federation in self.federations
            for defense in (*((None,) if self.undefended else ()), *self.defenses)
            for tampering in (None, *((one, party) for one in misbehaving for party in self.others))
        ]
        return tuple(Turn(number, *draft, named=named) for number, draft in enumerate(drafts))

    @cached_property
    def tried(self) -> tuple[AttackChoice, ...]:
        """The attacks that are tried: those named, or what a quick audit tries, as far as grants go."""
        if self.attacks:
            return self.attacks
        chosen = default_choices(("attacks",), properties=bool(self.properties), depth="quick")["attacks"]
        return tuple(AttackChoice.model_validate(one) for one in chosen)


@dataclass(frozen=True)
class Turn:
    """One training: a seed, a federation, a defense, and an attack whose adversary misbehaves in it, if any."""

    number: int
    seed: int
    federation: Choice
    defense: Choice | None = None
    tampering: tuple[AttackChoice, str] | None = None
    named: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        """What people consent to, whatever the seed; settings stand in it where names alone would mean two things.

        >>> Turn(0, 0, Choice(name="forest"), Choice(name="label-dp")).name
        'forest+label-dp'
        """
        acting = [self.federation, *filter(None, (self.defense, self.tampering and self.tampering[0]))]
        return "+".join(self.named.get(_key(one), one.name) for one in acting)

    @cached_property
    def built(self) -> Federation:
        """The federation."""
        return build(FEDERATIONS, self.federation.name, self.federation.settings)

    @cached_property
    def defending(self) -> Defense | None:
        """The defense."""
        return defense_of(self.defense)

    @property
    def withdraws(self) -> bool:
        """Whether parties may withdraw rows before training."""
        return self.defending is not None and Seam.ALIGNMENT in self.defending.acts_on

    def rules(self, plan: RehearsalPlan, rows: int) -> Rules:
        """Return what may be asked and answered; refuse what would cross in the clear."""
        terms = self.built.terms(plan.parties, plan.classes)
        return Rules(terms, rows, model=plan.model, simulated=plan.simulated)


def _key(choice: Choice) -> str:
    return json.dumps([choice.name, choice.settings], sort_keys=True)


def _names(choices: Sequence[Choice]) -> dict[str, str]:
    """Name what can be chosen, with its settings where several have one name.

    >>> twice = [Choice(name="label-dp"), Choice(name="label-dp", settings={"epsilon": 9})]
    >>> names = _names([Choice(name="forest"), *twice])
    >>> list(names.values())
    ['forest', 'label-dp:default', 'label-dp:epsilon=9']
    """
    different = {_key(one): one for one in choices}
    names = Counter(one.name for one in different.values())

    def written(one: Choice) -> str:
        return "/".join(f"{key}={value}" for key, value in one.settings.items()).replace(",", ";") or "default"

    return {key: one.name if names[one.name] == 1 else f"{one.name}:{written(one)}" for key, one in different.items()}


def read_plan(path: Path) -> RehearsalPlan:
    """Read a plan from a TOML file, or say in one sentence what is wrong with it."""
    return make_plan(read_toml(path, "docs/rehearsal.md"), source=str(path))


def make_plan(values: dict[str, Any], *, source: str = "The plan") -> RehearsalPlan:
    """Check values that a person wrote, and everything that they name."""
    try:
        plan = RehearsalPlan.model_validate(values)
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in found["loc"])
        if found["type"] == "extra_forbidden":
            known = Grants if found["loc"][0] == "grants" else Choice if len(found["loc"]) > 1 else RehearsalPlan
            raise UnknownName("key", str(found["loc"][-1]), known=known.model_fields) from error
        if found["type"] == "missing":
            raise BadPlan(f"{source} does not say {place!r}. Add it; docs/rehearsal.md shows a whole plan.") from error
        raise BadPlan(f"{source}: {first_complaint(error)}") from error
    for defense in plan.defenses:
        if Seam.VERIFICATION in build(DEFENSES, defense.name, defense.settings).acts_on:
            raise BadPlan(
                f"{defense.name} supposes a place that sees all columns, which parties on hosts of their own do not "
                "have. Leave it out; 'seepage audit' plays it through."
            )
    for turn in plan.turns:
        try:
            turn.rules(plan, plan.rows)
        except AuditError as error:
            raise BadPlan(f"{source}: {turn.federation.name}: {error}") from error
    return plan
