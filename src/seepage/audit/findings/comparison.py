"""Which of the tried defenses to prefer where they can be compared, and which cannot be."""

from dataclasses import dataclass
from enum import Enum

from seepage.audit.findings.scenes import Scene, Trial
from seepage.audit.findings.worth import NEGLIGIBLE, costs_apart
from seepage.scores.levels import NOTICEABLE, TOLERABLE
from seepage.scores.reached import leak_apart


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

    `lowest` is None where nothing can be compared, `cheapest` where nothing keeps the leak tolerable and leaves
    something of what the federation is for. `lowest_tied` and `cheapest_tied` are the others that cannot be told apart
    from it: over seeds, the paired difference lies within noise. They are not to be ranked. `useless` would suffice,
    but leave next to nothing of the federation's gain.
    """

    lowest: Trial | None
    cheapest: Trial | None
    left_out: tuple[tuple[Trial, Doubt], ...]
    lowest_tied: tuple[Trial, ...] = ()
    cheapest_tied: tuple[Trial, ...] = ()
    useless: tuple[Trial, ...] = ()

    @property
    def cheapest_unsure(self) -> bool:
        """Whether the leak that the cheapest leaves may be above what is tolerable: its interval reaches there."""
        reached = self.cheapest.advantage if self.cheapest else None
        return reached is not None and reached.high is not None and reached.high > TOLERABLE


def compared(scene: Scene) -> Comparison:
    """Compare all defenses that were tried against the same adversary on the same federation.

    Within a scene the share of the gain that is kept falls as the cost rises, so the cheapest is also the one that
    keeps most.
    """
    doubts = [(trial, doubt(trial, scene.undefended)) for trial in scene.defended]
    sound = [trial for trial, why in doubts if why is None]
    sufficient = [trial for trial in sound if trial.leak <= TOLERABLE]
    enough = [trial for trial in sufficient if not trial.useless]
    lowest = min(sound, key=lambda trial: (trial.leak, _cost(trial)), default=None)
    cheapest = min(enough, key=lambda trial: (_cost(trial), trial.leak), default=None)
    return Comparison(
        lowest=lowest,
        cheapest=cheapest,
        left_out=tuple((trial, why) for trial, why in doubts if why is not None),
        lowest_tied=tuple(one for one in sound if lowest and one is not lowest and same_leak(one, lowest)),
        cheapest_tied=tuple(one for one in enough if cheapest and one is not cheapest and same_cost(one, cheapest)),
        useless=tuple(trial for trial in sufficient if trial.useless),
    )


def same_leak(one: Trial, other: Trial) -> bool:
    """Whether it cannot be told which of two leaks more; of one seed, whether they differ less than is noticeable."""
    apart = leak_apart(one.rivals, other.rivals)
    return apart is not None and apart.within_noise(NOTICEABLE)


def same_cost(one: Trial, other: Trial) -> bool:
    """Whether it cannot be told which of two costs more."""
    apart = costs_apart(one.worth, other.worth) if one.cost and other.cost else None
    return apart is not None and apart.within_noise(NEGLIGIBLE)


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
    return trial.cost.mean if trial.strongest and trial.cost else float("inf")
