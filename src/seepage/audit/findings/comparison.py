"""Which of the tried defenses to prefer where they can be compared, and which cannot be."""

from dataclasses import dataclass
from enum import Enum

from seepage.audit.findings.scenes import Scene, Trial
from seepage.scores.levels import TOLERABLE


class Doubt(Enum):
    """Why a defense is not compared with others."""

    IDLE = "the adversary saw what it sees without it"
    BETRAYS = "it silences many rows and gives the others away"
    UNDONE = "withdrawn rows can be put back"
    NOT_ATTACKED = "no attack could be run under it"
    UNMEASURED = "some attack gave no number under it"


@dataclass(frozen=True)
class Comparison:
    """The defenses of one scene: the lowest leak, the cheapest that suffices, and those left out.

    `lowest` is None where nothing can be compared, `cheapest` where nothing keeps the leak tolerable.
    """

    lowest: Trial | None
    cheapest: Trial | None
    left_out: tuple[tuple[Trial, Doubt], ...]


def compared(scene: Scene) -> Comparison:
    """Compare all defenses that were tried against the same adversary on the same federation."""
    doubts = [(trial, doubt(trial, scene.undefended)) for trial in scene.defended]
    sound = [trial for trial, why in doubts if why is None]
    enough = [trial for trial in sound if trial.leak <= TOLERABLE]
    return Comparison(
        lowest=min(sound, key=lambda trial: (trial.leak, _cost(trial)), default=None),
        cheapest=min(enough, key=lambda trial: (_cost(trial), trial.leak), default=None),
        left_out=tuple((trial, why) for trial, why in doubts if why is not None),
    )


def doubt(trial: Trial, undefended: Trial | None) -> Doubt | None:
    """Return why the number of a defense must not be held against those of others; None where it may."""
    if trial.changes_nothing(undefended):
        return Doubt.IDLE
    if not trial.complete:
        return Doubt.UNMEASURED if trial.attacked or trial.unmeasured else Doubt.NOT_ATTACKED
    if trial.betraying is not None:
        return Doubt.BETRAYS
    return Doubt.UNDONE if trial.undone is not None else None


def _cost(trial: Trial) -> float:
    cost = trial.priced.cost if trial.strongest else None
    return float("inf") if cost is None else cost
