"""What is recommended, as a value that can be stored and told."""

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from seepage.audit.findings.labels import label
from seepage.audit.plan.plan import Choice
from seepage.errors import BadOutput
from seepage.files import write_private
from seepage.scores.intervals import Interval

FORMAT: Final = 1
FILE: Final = "recommendation.json"


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Span(_Told):
    """A mean over seeds with its 95 % interval."""

    mean: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, held: Interval | None) -> "Span | None":
        """Take an interval as it is."""
        return cls(mean=held.mean, low=held.low, high=held.high) if held is not None else None

    def __str__(self) -> str:
        return str(Interval(self.mean, self.low, self.high))


class LeakTold(_Told):
    """How much is learned of one asset at most, by whom and by which attack."""

    asset: str
    limit: float
    attack: str
    adversary: tuple[str, ...]
    asked: str | None = None
    advantage: Span
    reach: float

    @property
    def unsure(self) -> bool:
        """Whether so few seeds do not show that it stays below its limit."""
        return self.advantage.high is None or self.advantage.high > self.limit


class ArrangementTold(_Told):
    """One federation under one defense, two, or none: what leaks, what it is worth, and what it lacks."""

    federation: Choice
    defense: Choice | None
    called: str
    leaks: tuple[LeakTold, ...]
    metric: str | None
    utility: Span | None
    cost: Span | None
    kept: Span | None
    alone: Span | None = None
    seeds: tuple[int, ...]
    missed: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The federation with the settings that were asked for."""
        return label(self.federation.name, self.federation.settings)


class Recommendation(_Told):
    """What to switch on, as confirmed on seeds that the search has not used; or what is nearest where nothing suffices.

    Parameters
    ----------
    best
        The arrangement that meets everything at the least loss of worth; None where none was found.
    nearest
        Where there is none: what comes nearest, measured on the same fresh seeds.
    tied
        What meets everything in the search as well, and cannot be told from the best by what it is worth.
    put_to_test
        How many arrangements were tried on fresh seeds, the best included.
    looked_at
        The last rung of every defense that was looked at, as the search saw it, and the federations without one.
    trained
        How many arrangements were measured in all.
    marks
        What has to be known of all numbers, as that rows are a sample.
    """

    format: int = FORMAT
    data: str
    limits: dict[str, float]
    least_utility: float | None = None
    least_kept: float | None = None
    best: ArrangementTold | None = None
    nearest: ArrangementTold | None = None
    tied: tuple[str, ...] = ()
    put_to_test: int = 0
    looked_at: tuple[ArrangementTold, ...] = ()
    trained: int = 0
    search_seeds: tuple[int, ...] = ()
    marks: tuple[str, ...] = ()

    def write(self, folder: Path) -> Path:
        """Write it into a folder, whole or not at all."""
        return write_private(folder / FILE, self.model_dump_json(indent=1) + "\n")


def read_recommendation(folder: Path) -> Recommendation | None:
    """Read what was recommended for an audit; None where nobody asked, or it was written by a later version."""
    path = folder / FILE
    try:
        return Recommendation.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (ValidationError, OSError) as error:
        raise BadOutput(
            f"{path} cannot be read as a recommendation. Remove it, or run seepage recommend again."
        ) from error
