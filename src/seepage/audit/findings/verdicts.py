"""What an audit says about one asset, or one property, before it is put into words."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from seepage.audit.findings.scenes import Scene, Trial
from seepage.audit.findings.summary import SummaryLine
from seepage.scores.intervals import Interval
from seepage.scores.levels import level


@dataclass(frozen=True)
class Verdict:
    """All that was tried to learn one asset, or the share of people with the property that is `asked` about.

    An asset is judged by the strongest guess without a defense, that of an attack or of a baseline; where nothing was
    run without one, by the strongest under any.
    """

    asset: str
    asked: str | None
    lines: tuple[SummaryLine, ...]
    scenes: tuple[Scene, ...]

    @cached_property
    def stage(self) -> tuple[Scene, ...]:
        """The scenes of which something is known."""
        return tuple(scene for scene in self.scenes if scene.telling)

    @cached_property
    def worst(self) -> SummaryLine | None:
        """The guess that got furthest."""
        bare = _strongest(scene.undefended for scene in self.stage)
        return bare or _strongest(trial for scene in self.stage for trial in scene.defended)

    @property
    def advantage(self) -> Interval | None:
        """How far it got; the interval knows that it is the strongest of several."""
        return self.home[1].advantage if self.home else None

    @property
    def level(self) -> str:
        """How much that is; ``unknown`` where nothing was measured."""
        return level(self.advantage.mean) if self.advantage else "unknown"

    @cached_property
    def home(self) -> tuple[Scene, Trial] | None:
        """Where the worst was found: on which scene, under which defense."""
        found = ((scene, trial) for scene in self.stage for trial in scene.trials)
        return next((one for one in found if any(line is self.worst for line in one[1].lines)), None)

    @property
    def elsewhere(self) -> tuple[Scene, ...]:
        """The other scenes in which something was measured."""
        home = self.home[0] if self.home else None
        return tuple(scene for scene in self.stage if scene is not home and any(one.strongest for one in scene.trials))


def _strongest(trials: Iterable[Trial | None]) -> SummaryLine | None:
    found = [trial.strongest for trial in trials if trial and trial.strongest]
    return max(found, key=attrgetter("strength"), default=None)
