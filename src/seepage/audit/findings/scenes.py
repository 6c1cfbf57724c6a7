"""Defenses compared where they can be compared: on one federation, against one adversary."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Final

from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.finding import CHOSEN, Finding
from seepage.audit.findings.summary import SummaryLine
from seepage.audit.findings.worth import NEGLIGIBLE, Worth
from seepage.scores.intervals import Interval
from seepage.scores.levels import NOTICEABLE
from seepage.scores.reached import Reached, strongest
from seepage.scores.score import advantage

PUT_BACK: Final = "error_putting_back"
"""Where a finding keeps the error of who puts withdrawn people back."""
LEAST_KEPT: Final = 0.1
"""A defense that leaves less than this share of the federation's gain leaves the partner without use."""


@dataclass(frozen=True)
class Trial:
    """Everything that was tried under one defense with one setting.

    Its leak is that of the strongest attack. `unmeasured` names attacks that gave a
    number elsewhere in the scene and should have given one here; while there are any,
    the strongest attack may be missing, and the trial must not be recommended. `chosen` is
    what the adversary reached who picked its attack itself; it is none of the `lines`.
    """

    lines: tuple[SummaryLine, ...]
    unmeasured: tuple[str, ...] = ()
    chosen: SummaryLine | None = None

    @property
    def first(self) -> Finding:
        """Any finding; the defense is the same in all of them."""
        return self.lines[0].first

    @cached_property
    def strongest(self) -> SummaryLine | None:
        """The line that got furthest, if any has an advantage."""
        return max(
            (line for line in self.lines if line.advantage is not None), key=attrgetter("strength"), default=None
        )

    @property
    def fine(self) -> tuple[SummaryLine, ...]:
        """The lines that were run."""
        return tuple(line for line in self.lines if line.status == "ok")

    @property
    def shown(self) -> SummaryLine | None:
        """The line that stands for all: the strongest, or any that was run where none can be scored."""
        return self.strongest or next(iter(self.fine), None)

    @cached_property
    def rivals(self) -> tuple[Reached, ...]:
        """What every line reached, seed by seed, in answer to every question."""
        return tuple(one for line in self.lines if line.advantage is not None for one in line.rivals)

    @cached_property
    def advantage(self) -> Interval | None:
        """The advantage of the strongest attack; its interval knows that the strongest was chosen among several."""
        return strongest(self.rivals)

    @property
    def leak(self) -> float:
        """The mean of that advantage; more than any where nothing was measured."""
        return self.advantage.mean if self.advantage else float("inf")

    @property
    def furthest(self) -> float:
        """How far the strongest attack may get: the upper end of its interval, where there is one."""
        known = self.advantage
        return self.leak if known is None or known.high is None else known.high

    @cached_property
    def betraying(self) -> SummaryLine | None:
        """A line whose attack is silent on many rows and right on the others, if there is one."""
        return max((line for line in self.lines if line.betrays_some_rows), key=attrgetter("reach"), default=None)

    @cached_property
    def undone(self) -> SummaryLine | None:
        """The line whose adversary gets further than all others by putting withdrawn people back, if one does."""
        furthest = max(self.lines, key=put_back)
        reached = self.advantage.mean if self.advantage else 0.0
        return furthest if put_back(furthest) > reached + NOTICEABLE else None

    @property
    def attacked(self) -> bool:
        """Whether an attack gave a number here; a baseline that reads no message always does."""
        return any(line.advantage is not None and not line.is_baseline for line in self.lines)

    @property
    def complete(self) -> bool:
        """Whether every attack that should have given a number did, and there was one."""
        return self.attacked and not self.unmeasured

    @property
    def understated(self) -> bool:
        """Whether more may leak than the strongest attack says."""
        return bool(self.unmeasured or self.betraying or self.undone)

    @property
    def priced(self) -> SummaryLine:
        """The line whose utility the defense alone has lowered: the strongest, unless its adversary did as well."""
        first = self.strongest or self.lines[0]
        honest = [line for line in (first, *self.lines) if line.honest and line.worth.joint]
        return next(iter(honest), first)

    @property
    def worth(self) -> Worth:
        """What the model is worth by seed, with what it is compared with."""
        return self.priced.worth

    @property
    def utility(self) -> Interval | None:
        """What the model is worth."""
        return self.worth.utility

    @property
    def cost(self) -> Interval | None:
        """How much of that the defense took away, paired by seed; None where that was not measured."""
        return self.priced.cost_interval

    @property
    def cost_within_noise(self) -> bool:
        """Whether the defense costs nothing that can be told from noise."""
        return self.cost is not None and self.cost.within_noise(NEGLIGIBLE)

    @property
    def kept(self) -> Interval | None:
        """The share of the federation's gain that is left; None where it is not known, or the gain is within noise."""
        return self.priced.kept

    @property
    def useless(self) -> bool:
        """Whether next to nothing is left of what the federation is for."""
        return self.kept is not None and self.kept.mean < LEAST_KEPT

    @property
    def seeds(self) -> int:
        """How many seeds the strongest attack was measured with, or any other where none was."""
        return self.strongest.seeds if self.strongest else max(line.seeds for line in self.lines)

    def changes_nothing(self, bare: "Trial | None") -> bool:
        """Whether the adversary saw what it sees without a defense.

        Under every seed, all that any attack was shown has the same digest. Findings of older audits hold none: there
        the same bounds and the same guesses have to do.
        """
        undefended = {line.circumstances.attempt: line for line in bare.lines} if bare is not None else {}
        pairs = [
            (line, undefended[line.circumstances.attempt])
            for line in self.lines
            if line.circumstances.attempt in undefended and not line.is_baseline  # which reads no message
        ]
        seen = [
            (mine.views, undefended.views) for mine, undefended in pairs if mine.views.keys() & undefended.views.keys()
        ]
        if seen:
            return all(
                mine[seed] == undefended[seed] for mine, undefended in seen for seed in mine.keys() & undefended.keys()
            )
        return any(
            mine is self.strongest
            and mine.first.bounds
            and mine.first.bounds == undefended.first.bounds
            and mine.value == undefended.value
            for mine, undefended in pairs
        )


@dataclass(frozen=True)
class Scene:
    """One asset or property, one adversary, one federation: with and without each defense."""

    undefended: Trial | None
    defended: tuple[Trial, ...]

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All trials, the undefended one first."""
        return (self.undefended, *self.defended) if self.undefended else self.defended

    @property
    def first(self) -> Finding:
        """Any finding; federation, adversary, data and aim are the same in all of them."""
        return self.trials[0].first

    @property
    def nothing_to_gain(self) -> bool:
        """Whether attacks were scored, and what was known before was as good as everything there is to learn."""
        return not self.attacked and any(line.value is not None and not line.is_baseline for line in self.lines)

    @property
    def lines(self) -> tuple[SummaryLine, ...]:
        """All that was tried here."""
        return tuple(line for trial in self.trials for line in trial.lines)

    @cached_property
    def worth(self) -> Worth:
        """What is known of utility here by seed: undefended, and of the label holder alone."""
        held = [line.worth for line in self.lines]
        return Worth(
            undefended={seed: value for one in reversed(held) for seed, value in one.undefended.items()},
            alone={seed: value for one in reversed(held) for seed, value in one.alone.items()},
        )

    @property
    def alone(self) -> Interval | None:
        """What the label holder's own model is worth on its own columns; None where nobody trained it."""
        return self.worth.own

    @property
    def gain(self) -> Interval | None:
        """How much more the undefended joint model is worth than that, paired by seed."""
        return self.worth.gain

    @property
    def gain_within_noise(self) -> bool:
        """Whether the federation adds nothing that can be told from noise; False where that is not known."""
        return self.worth.gain_within_noise

    @property
    def gain_unsure(self) -> bool:
        """Whether there is a gain in the mean that so few seeds cannot tell from noise."""
        return self.worth.gain_unsure

    def quoted(self, line: SummaryLine) -> Interval | None:
        """Return the advantage of a line as it is quoted: that of the strongest under a defense knows of the choice."""
        return next((trial.advantage for trial in self.trials if trial.strongest is line), line.advantage)

    @property
    def unscored(self) -> bool:
        """Whether attacks made guesses that nobody could score, as those on a recording whose truth is not known."""
        return not self.attacked and any(line.first.value is None for trial in self.trials for line in trial.fine)

    @property
    def attacked(self) -> bool:
        """Whether an attack gave a number; baselines that read no message do not count."""
        return any(trial.attacked for trial in self.trials)

    @cached_property
    def quiet(self) -> bool:
        """Whether next to nothing leaks, neither without a defense nor under any, and nothing is left unmeasured."""
        return self.undefended is not None and all(
            trial.leak < NOTICEABLE and trial.complete and not trial.understated for trial in self.trials
        )

    @cached_property
    def telling(self) -> bool:
        """Whether an attack gave a number, or a baseline gave one that is worth telling."""
        return any(
            line.advantage is not None and (not line.is_baseline or line.reach >= NOTICEABLE) for line in self.lines
        )


def scenes(lines: Iterable[SummaryLine]) -> list[Scene]:
    """Sort lines into scenes, in the order in which they first appear."""
    groups = grouped(lines, lambda line: line.circumstances.scene).values()
    return [_scene(group) for group in groups if any(line.first.role != CHOSEN for line in group)]


def put_back(line: SummaryLine) -> float:
    """Return the advantage of who counts withdrawn people as having the property; below 0 where nobody withdrew."""
    error = line.other.get(PUT_BACK)
    if error is None or line.blind is None or line.ceiling is None:
        return -1.0
    reached = advantage(error, line.blind, line.ceiling, line.measure.narrow)
    return -1.0 if reached is None else reached


def _scene(lines: Sequence[SummaryLine]) -> Scene:
    picked = {line.circumstances.trial: line for line in lines if line.first.role == CHOSEN}
    tried = [line for line in lines if line.first.role != CHOSEN]
    measured = [line for line in tried if line.advantage is not None]
    trials = [
        Trial(tuple(group), _unmeasured(measured, group), picked.get(key))
        for key, group in grouped(tried, lambda line: line.circumstances.trial).items()
    ]
    return Scene(
        undefended=next((trial for trial in trials if trial.first.defense is None), None),
        defended=tuple(trial for trial in trials if trial.first.defense is not None),
    )


def _unmeasured(expected: Iterable[SummaryLine], group: Iterable[SummaryLine]) -> tuple[str, ...]:
    """Name attacks without a number here; one that the defense leaves nothing to work on is no gap."""
    settled = {
        line.circumstances.attempt for line in group if line.advantage is not None or line.status == "not applicable"
    }
    return tuple(dict.fromkeys(line.first.attack for line in expected if line.circumstances.attempt not in settled))
