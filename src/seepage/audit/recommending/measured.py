"""One way to federate, and what was measured of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from seepage.audit.findings.comparison import Doubt, doubt
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.labels import UNDEFENDED, defense_label
from seepage.audit.findings.scenes import Scene, Trial, put_back
from seepage.audit.findings.survey import Survey
from seepage.audit.findings.worth import Worth
from seepage.audit.plan.plan import Choice
from seepage.scores.intervals import Interval

UNKNOWN = frozenset({Doubt.NOT_ATTACKED, Doubt.UNMEASURED})
"""Doubts about a defense under which nobody can say how much leaks."""


@dataclass(frozen=True)
class Arrangement:
    """A federation under a defense, under several that act together, or under none."""

    federation: Choice
    defense: Choice | None = None

    @property
    def key(self) -> str:
        """What tells it from others."""
        return f"{self.federation.model_dump_json()} {self.defense.model_dump_json() if self.defense else ''}"


@dataclass(frozen=True)
class Leak:
    """How much an adversary learns of one asset at most, and by which attack.

    `advantage` is that of the strongest attack. `reach` is what counts against a limit: more than its mean where an
    attack is right on the few rows that it answers, or puts withdrawn rows back.
    """

    asset: str
    attack: str
    adversary: tuple[str, ...]
    asked: str | None
    advantage: Interval
    reach: float


@dataclass(frozen=True)
class Measured:
    """What was measured of one arrangement under some seeds, beside the same federation without a defense.

    `assets` are those that were attacked.
    """

    arrangement: Arrangement
    seeds: tuple[int, ...]
    findings: tuple[Finding, ...]
    assets: frozenset[str]

    @cached_property
    def pairs(self) -> tuple[tuple[Scene, Trial], ...]:
        """What was tried in this arrangement, one pair for each adversary and aim."""
        bare = self.arrangement.defense is None
        return tuple(
            (scene, trial)
            for scene in Survey(self.findings).scenes
            for trial in scene.trials
            if (trial.first.defense is None) == bare
        )

    @cached_property
    def leaks(self) -> Mapping[str, Leak]:
        """The largest leak of each asset; an asset about which something is not known is missing."""
        found: dict[str, Leak] = {}
        unknown = set()
        for scene, trial in self.pairs:
            asset = scene.first.asset
            leak = _leak(scene, trial)
            if leak is None:
                unknown.add(asset)
            elif asset not in found or leak.reach > found[asset].reach:
                found[asset] = leak
        return {asset: leak for asset, leak in found.items() if asset not in unknown}

    @property
    def reaches(self) -> dict[str, float]:
        """How far each asset leaks."""
        return {asset: leak.reach for asset, leak in self.leaks.items()}

    @cached_property
    def worth(self) -> Worth:
        """What the model is worth, beside the undefended one and that of the label holder alone."""
        bare = [scene.worth for scene, _ in self.pairs]
        if self.arrangement.defense is None:
            undefended = next((one.undefended for one in bare if one.undefended), {})
            return Worth(
                joint=undefended, undefended=undefended, alone=next((one.alone for one in bare if one.alone), {})
            )
        return next((trial.worth for _, trial in self.pairs if trial.worth.joint), Worth())

    @property
    def utility(self) -> float | None:
        """What the model is worth on average."""
        return self.worth.utility.mean if self.worth.utility else None

    @property
    def gains(self) -> bool:
        """Whether it is known that the federation adds something to what the label holder has alone."""
        return self.worth.gain is not None and not self.worth.gain_within_noise

    @property
    def kept(self) -> float | None:
        """The share of the federation's gain that is left; all of it without a defense."""
        if not self.gains:
            return None
        return self.worth.kept.mean if self.worth.kept else None

    @property
    def metric(self) -> str | None:
        """In what the worth of the model is measured."""
        return next((one.utility_metric for one in self.findings if one.utility_metric), None)

    @property
    def label(self) -> str:
        """The defense with its settings."""
        if self.pairs:
            return defense_label(self.pairs[0][1].first, short=True)
        return self.arrangement.defense.name if self.arrangement.defense is not None else UNDEFENDED


def _leak(scene: Scene, trial: Trial) -> Leak | None:
    """Return how much leaks in one trial; None where nobody can say."""
    if scene.nothing_to_gain:
        first = trial.first
        return Leak(first.asset, first.attack, first.adversary, first.property, Interval(0.0, None, None), 0.0)
    known = doubt(trial, scene.undefended) if trial is not scene.undefended else None
    line, advantage = trial.strongest, trial.advantage
    if line is None or advantage is None or known in UNKNOWN or (trial is scene.undefended and not trial.complete):
        return None
    sure = trial.betraying.advantage_answered if trial.betraying else None
    reach = max(advantage.mean, sure.mean if sure else 0.0, put_back(trial.undone) if trial.undone else 0.0)
    first = line.first
    return Leak(first.asset, first.attack, first.adversary, first.property, advantage, reach)
