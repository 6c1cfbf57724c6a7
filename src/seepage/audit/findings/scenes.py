"""Defenses compared where they can be compared: on one federation, against one adversary."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Final

from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.finding import CHOSEN, Finding
from seepage.audit.findings.summary import SummaryLine
from seepage.scores.intervals import Interval
from seepage.scores.levels import NOTICEABLE
from seepage.scores.score import advantage

PUT_BACK: Final = "error_putting_back"
"""Where a finding keeps the error of who puts withdrawn people back."""


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

    @property
    def advantage(self) -> Interval | None:
        """The advantage of the strongest attack."""
        return self.strongest.advantage if self.strongest else None

    @property
    def leak(self) -> float:
        """The mean of that advantage; more than any where nothing was measured."""
        return self.advantage.mean if self.advantage else float("inf")

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
        strongest = self.strongest or self.lines[0]
        honest = [line for line in self.lines if line.cost is not None]
        return strongest if strongest.cost is not None or not honest else honest[0]

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
    def lines(self) -> tuple[SummaryLine, ...]:
        """All that was tried here."""
        return tuple(line for trial in self.trials for line in trial.lines)

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
