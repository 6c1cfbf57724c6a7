"""The seam every attack fits."""

from collections.abc import Callable, Mapping
from typing import ClassVar, Final, Literal, Protocol, TypeAlias, TypeVar, get_args

from numpy.random import Generator

from seepage.guesses import Guess
from seepage.hooks import Tampering
from seepage.views import Knowledge, Needs, View

Guess_co = TypeVar("Guess_co", bound=Guess, covariant=True)
Asset = Literal["labels", "features", "properties"]
ASSETS: Final[tuple[str, ...]] = get_args(Asset)
"""What can be stolen, in the order in which it is told."""
Role = Literal["attack", "baseline"]
ScoredRows = Literal["train", "test", "new"]
BeginTampering: TypeAlias = Callable[[Knowledge, Generator], Tampering]
"""From what an adversary knows before training to what it does during training."""
AFTER_TRAINING: Final[Mapping[str, str]] = {"acts": "after training"}
"""Marks a setting of an attack that tampers: it has no part in the tampering, so a stored run can be attacked anew."""


class Attack(Protocol[Guess_co]):
    """Turns what an adversary saw into a claim about what it did not see. A frozen dataclass of settings.

    Ours name it as their base, so that the type checker holds them against it; one from outside need only be like it.
    """

    name: ClassVar[str]
    steals: ClassVar[Asset]
    role: ClassVar[Role] = "attack"

    @property
    def rows(self) -> ScoredRows:
        """Which rows the claim is scored on: a class says so once, or lets a setting say it."""
        ...

    @property
    def needs(self) -> Needs:
        """What the adversary must hold for this attack."""
        ...

    @property
    def tampering(self) -> BeginTampering | None:
        """How the adversary begins to misbehave during training; None for one that behaves."""
        return None

    def run(self, view: View, rng: Generator) -> Guess_co:
        """Attack once; the same view and generator give the same guess."""
        ...
