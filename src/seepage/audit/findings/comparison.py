"""Which of the tried defenses to prefer where they can be compared, and which cannot be."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from seepage.audit.findings.circumstances import Key, grouped
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.matrix import place_of
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


@dataclass(frozen=True)
class Option:
    """One federation under one defense, or none, taken as a whole: what it closes for one aim it may open for another.

    `measured` are all aims with a number there; `unknown` are aims that have one elsewhere, or under another defense.
    """

    measured: tuple[tuple[Scene, Trial], ...]
    unknown: tuple[Scene, ...]

    @property
    def first(self) -> Finding:
        """Any finding; federation and defense are the same in all of them."""
        return self.measured[0][1].first

    @property
    def open(self) -> tuple[tuple[Scene, Trial], ...]:
        """What leaks more than is tolerable, or would to an adversary who looks at some rows only."""
        return tuple((scene, trial) for scene, trial in self.measured if _open(trial))

    @property
    def closed(self) -> tuple[tuple[Scene, Trial], ...]:
        """What would be open without the defense, and is not."""
        return tuple(
            (scene, trial)
            for scene, trial in self.measured
            if not _open(trial) and scene.undefended is not None and _open(scene.undefended)
        )

    @property
    def helps(self) -> bool:
        """Whether the defense closes something that is open without it, or lowers what stays open noticeably."""
        bare = [(scene.undefended, trial) for scene, trial in self.measured if scene.undefended is not None]
        lowered = [undefended.leak - trial.leak for undefended, trial in bare if _open(undefended)]
        return bool(self.closed) or sum(lowered) > NOTICEABLE

    @property
    def utility(self) -> float | None:
        """What the joint model is worth."""
        return next((trial.utility.mean for _, trial in self.measured if trial.utility), None)

    def worth_having(self, alone: float | None) -> bool:
        """Whether the joint model is worth more than the label holder has alone, as far as that is known."""
        return alone is None or self.utility is None or self.utility >= alone + NEGLIGIBLE


def options(scenes: Sequence[Scene]) -> list[Option]:
    """Return every federation under every defense that was tried there, each as a whole."""
    known = [scene for scene in scenes if scene.attacked and scene.undefended and scene.undefended.strongest]
    aims = {_aim(scene): scene for scene in known}
    found = []
    for group in grouped(known, lambda scene: place_of(scene.first)).values():
        elsewhere = [scene for aim, scene in aims.items() if aim not in {_aim(one) for one in group}]
        for defense in dict.fromkeys(_defended(trial) for scene in group for trial in scene.trials):
            pairs = [
                (scene, next((trial for trial in scene.trials if _defended(trial) == defense), None)) for scene in group
            ]
            told = [(scene, trial) for scene, trial in pairs if trial is not None and _told(trial, scene)]
            lost = [scene for scene, trial in pairs if trial is None or not _told(trial, scene)]
            if told:
                found.append(Option(tuple(told), (*lost, *elsewhere)))
    return found


def _told(trial: Trial, scene: Scene) -> bool:
    """Whether a trial says how much leaks, or that more does than its number says."""
    known = doubt(trial, scene.undefended) if trial is not scene.undefended else None
    return trial.strongest is not None and known not in {Doubt.NOT_ATTACKED, Doubt.UNMEASURED}


def _open(trial: Trial) -> bool:
    return trial.leak > TOLERABLE or trial.betraying is not None or trial.undone is not None


def _defended(trial: Trial) -> Key:
    return trial.lines[0].circumstances.surroundings.defended


def _aim(scene: Scene) -> Key:
    return scene.first.asset, scene.first.property, scene.first.adversary
