"""What there is to do, as values: train, release what was trained, try attacks on what was shown."""

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from seepage.attacks import Attack
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import AttackChoice, Choice, DataPlan, PartitionPlan
from seepage.audit.plan.settings import build
from seepage.defenses.catalog import DEFENSES
from seepage.hooks import Defense, Seam

AFTERWARDS = frozenset({Seam.RELEASE, Seam.VERIFICATION})
"""Where a defense acts that leaves training alone: one training serves all of these."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class Setting(_Value):
    """Which rows and columns lie where under one seed: all federations of that seed share it."""

    data: DataPlan
    partition: PartitionPlan
    encoding: str
    scaling: str
    split: str
    adversary: tuple[str, ...]
    properties: tuple[str, ...] = ()
    properties_kept: bool = True
    seed: int


class Training(_Value):
    """One training: where rows and columns lie, who trains what, and what acts meanwhile.

    `tampering` is the attack whose adversary misbehaves, `adversary` who that is where several are tried, and
    `asked` the property it is after. Where `alone` is set nobody takes part but the label holder, with its own
    columns: nothing crosses, and only the model's worth is wanted.
    """

    setting: Setting
    federation: Choice
    defense: Choice | None = None
    tampering: Choice | None = None
    adversary: tuple[str, ...] = ()
    asked: str | None = None
    threads: int = 1
    device: str = "cpu"
    alone: bool = False


class Attempt(_Value):
    """One attack with its settings, who tries it and, where it is after a property, which one.

    No `adversary` is the one that all attempts share, or else the default of the attack. `possible` is whether the
    federation offers what it needs; where it does not, its finding says why.
    """

    attack: AttackChoice
    asked: str | None = None
    adversary: tuple[str, ...] = ()
    possible: bool = True


class Release(_Value):
    """What is shown once training is over, under a defense that acts only then, and what is tried on it.

    `model` says whether the owners release their models to the active party, `predictions` whether it lets the others
    know what the joint model says of new rows.
    """

    defense: Choice | None = None
    model: bool = True
    predictions: bool = True
    attempts: tuple[Attempt, ...] = ()


class Job(_Value):
    """One training, and all that is done with it: what an engine hands to a worker."""

    training: Training
    releases: tuple[Release, ...]

    @property
    def seed(self) -> int:
        """The seed of everything in it."""
        return self.training.setting.seed

    def defense_of(self, release: Release) -> Choice | None:
        """The defense that a finding names: it acts during training or afterwards, one at a time."""
        return release.defense or self.training.defense

    def tried(self) -> Iterator[tuple[Release, Attempt]]:
        """Yield all attempts, each with what it is tried on."""
        for release in self.releases:
            for attempt in release.attempts:
                yield release, attempt


class Worth(_Value):
    """What a model was worth as it was released; nothing where it was not trained, or could not be (`reason`)."""

    metric: str | None = None
    value: float | None = None
    reason: str | None = None


class Evidence(_Value):
    """What speaks for an attack on rows that its adversary can check itself.

    `state` is ``checked``, ``unchecked`` where there is nothing to check it on, ``spared`` where another attack that
    costs less was right on every row, or ``unfit`` where it names nothing that could be checked. `cost` says
    what checking it takes: nothing but a look (0), running it again (1), or training networks again (2).
    `spared_by` is the key of the evidence for that other attack: without it this one says nothing.
    `beside` holds what a finding says of it beside all that who checked it knew, where that is more.
    """

    state: Literal["checked", "unchecked", "spared", "unfit"] = "unfit"
    first: float = 0.0
    second: float = 0.0
    cost: int = 0
    spared_by: str | None = None
    beside: dict[str, Any] = {}


class Record(_Value):
    """One result under its key: a finding, what speaks for it, or the worth of a model; and what to tell people."""

    key: str
    finding: Finding | None = None
    evidence: Evidence | None = None
    worth: Worth | None = None
    remarks: tuple[str, ...] = ()


def acts_afterwards(choice: Choice) -> bool:
    """Whether a defense leaves training alone.

    >>> acts_afterwards(Choice(name="rounding")), acts_afterwards(Choice(name="top-k"))
    (True, False)
    """
    defense: Defense = build(DEFENSES, choice.name, choice.settings)
    return defense.acts_on <= AFTERWARDS


def is_weighed(attempt: Attempt, attack: Attack[Any]) -> bool:
    """Whether an adversary could choose this attack by its own evidence: it speaks of training rows, and behaves."""
    fits = (
        attempt.possible
        and attack.rows == "train"
        and attack.role == "attack"
        and attack.steals in {"labels", "features"}
    )
    return fits and attack.tampering is None
