"""Leak against utility on one federation: every defense a point, with intervals both ways."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.comparison import compared, same_cost, same_leak
from seepage.audit.findings.labels import defense_label, settings_text
from seepage.audit.findings.scenes import Scene, Trial
from seepage.report.pictures.plot import Box, Label, Scale, around, placed, span
from seepage.report.wording import subject, together
from seepage.scores.digits import counted, number
from seepage.scores.intervals import Interval
from seepage.scores.levels import TOLERABLE
from seepage.scores.metrics import metric_of

WIDTH: Final = 400.0
HEIGHT: Final = 310.0
FRAME: Final = Box(46.0, 10.0, WIDTH - 12.0, HEIGHT - 42.0)
LOWEST, HIGHEST = -0.03, 1.05
"""Where the axis of the advantage begins and ends."""
NO_DEFENSE: Final = "no defense"


@dataclass(frozen=True)
class Tick:
    """A place on an axis with its number."""

    place: float
    text: str


@dataclass(frozen=True)
class Whisker:
    """An interval as a line; `cut` ends reach beyond the frame."""

    x1: float
    y1: float
    x2: float
    y2: float
    cut: bool = False


@dataclass(frozen=True)
class Mark:
    """One point: `kind` says by its shape whether it is undefended, on the front, beside it, or not compared."""

    kind: str
    x: float
    y: float
    words: str
    whiskers: tuple[Whisker, ...]


@dataclass(frozen=True)
class Line:
    """A line with its name, such as what the label holder reaches alone; `band` is its interval."""

    name: str
    place: float
    band: tuple[float, float] | None = None
    anchor: str = "start"


@dataclass(frozen=True, kw_only=True)
class Chart:
    """What is drawn, in units of the picture, with the words that go around it."""

    title: str
    description: str
    x_title: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]
    front: str
    alone: Line | None
    limit: Line
    notes: tuple[str, ...]
    kinds: frozenset[str]
    frame: Box = FRAME
    width: float = WIDTH
    height: float = HEIGHT


def chart(scene: Scene) -> Chart | None:
    """Draw one scene; None where nothing has numbers for both axes."""
    trials = [trial for trial in scene.trials if trial.advantage is not None and trial.utility is not None]
    if not trials:
        return None
    metric = metric_of(next(line.first.utility_metric for line in scene.lines if line.first.utility_metric)).title
    across, up = _scales(trials, scene.alone)
    doubted = {id(trial) for trial, _ in compared(scene).left_out}
    sound = [trial for trial in trials if id(trial) not in doubted]
    kinds = [_kind(trial, sound) for trial in trials]
    marks = tuple(_mark(trial, kind, across, up, metric) for trial, kind in zip(trials, kinds, strict=True))
    alone = _alone(scene, across)
    labels = _labels(trials, marks, alone)
    first = scene.first
    learned = subject(first.asset, first.property)
    return Chart(
        title=f"Advantage on {learned} against {metric}: {first.federation}, by {together(first.adversary)}",
        description=f"{counted(len(trials), 'point')}: " + "; ".join(mark.words for mark in marks) + ".",
        x_title=f"utility of the joint model ({metric})",
        x_ticks=tuple(Tick(across.at(value), _written(value, across)) for value in across.ticks()),
        y_ticks=tuple(Tick(up.at(value / 5), f"{value / 5:.1f}") for value in range(6)),
        marks=marks,
        labels=tuple(label for label in labels if label is not None),
        front=_front([trial for trial in sound if _undominated(trial, sound)], across, up),
        alone=alone,
        limit=Line(f"{TOLERABLE:g}", up.at(TOLERABLE)),
        notes=tuple(_notes(trials, labels, marks)),
        kinds=frozenset(kinds),
    )


def _scales(trials: Sequence[Trial], alone: Interval | None) -> tuple[Scale, Scale]:
    known = [trial.utility for trial in trials if trial.utility] + ([alone] if alone else [])
    reaching = [end for one in known for end in (one.low, one.high) if end is not None]
    low, high = span([one.mean for one in known], reaching)
    return Scale(low, high, FRAME.left, FRAME.right), Scale(LOWEST, HIGHEST, FRAME.bottom, FRAME.top)


def _kind(trial: Trial, sound: Sequence[Trial]) -> str:
    if trial.first.defense is None:
        return "undefended"
    if not any(trial is one for one in sound):
        return "doubted"
    return "front" if not _beaten(trial, sound) else "beaten"


def _beaten(trial: Trial, sound: Sequence[Trial]) -> bool:
    """Whether another leaks no more and is worth no less, and is better in one of the two by more than noise."""
    return any(
        not same_leak(other, trial) or _cheaper(other, trial)
        for other in sound
        if other is not trial and _dominates(other, trial)
    )


def _cheaper(other: Trial, trial: Trial) -> bool:
    """Whether the difference in cost between two is more than noise."""
    return not (trial.cost_within_noise if other.first.defense is None else same_cost(other, trial))


def _dominates(other: Trial, trial: Trial) -> bool:
    """Whether another is at least as good by its means, and not the same."""
    pairs = ((other.leak, trial.leak), (-_worth(other), -_worth(trial)))
    return all(mine <= yours for mine, yours in pairs) and any(mine < yours for mine, yours in pairs)


def _worth(trial: Trial) -> float:
    return trial.utility.mean if trial.utility else -1.0


def _undominated(trial: Trial, sound: Sequence[Trial]) -> bool:
    return not any(_dominates(other, trial) for other in sound if other is not trial)


def _mark(trial: Trial, kind: str, across: Scale, up: Scale, metric: str) -> Mark:
    leak, worth = trial.advantage, trial.utility
    assert leak is not None, "only what has numbers for both axes is drawn"
    assert worth is not None, "only what has numbers for both axes is drawn"
    x, y = across.at(worth.mean), up.at(leak.mean)
    name = NO_DEFENSE if trial.first.defense is None else defense_label(trial.first)
    whiskers = []
    if leak.low is not None and leak.high is not None:
        whiskers.append(Whisker(x, up.at(leak.low), x, up.at(leak.high)))
    if worth.low is not None and worth.high is not None:
        cut = not (across.holds(worth.low) and across.holds(worth.high))
        whiskers.append(Whisker(across.at(worth.low), y, across.at(worth.high), y, cut))
    return Mark(kind, x, y, f"{name}: advantage {leak}, {metric} {worth}", tuple(whiskers))


def _alone(scene: Scene, across: Scale) -> Line | None:
    """Draw what the label holder reaches without the federation."""
    alone = scene.alone
    if alone is None:
        return None
    band = None if alone.low is None or alone.high is None else (across.at(alone.low), across.at(alone.high))
    place = across.at(alone.mean)
    right = place < (FRAME.left + FRAME.right) / 2
    return Line(f"label holder alone {number(alone.mean)}", place, band, "start" if right else "end")


def _labels(trials: Sequence[Trial], marks: Sequence[Mark], alone: Line | None) -> list[Label | None]:
    """Name points: the undefended one first, then those of the front, then the others as far as there is room."""
    order = {"undefended": 0, "front": 1, "doubted": 2, "beaten": 3}
    ranked = sorted(range(len(marks)), key=lambda place: (order[marks[place].kind], place))
    names = _names(trials)
    taken = [around(mark.x, mark.y, 5.0) for mark in marks]
    if alone is not None:
        width = 5.5 * len(alone.name)
        left = alone.place + 4 if alone.anchor == "start" else alone.place - 4 - width
        taken.append(Box(left, FRAME.bottom - 18, left + width, FRAME.bottom))
    return placed([(names[place], marks[place].x, marks[place].y) for place in ranked], FRAME, taken)


def _names(trials: Sequence[Trial]) -> list[str]:
    """Name defenses; with their settings only where one was tried with several."""
    defenses = [trial.first.defense for trial in trials]
    return [
        NO_DEFENSE
        if name is None
        else f"{name} {settings_text(trial.first.defense_settings)}"
        if defenses.count(name) > 1
        else name
        for name, trial in zip(defenses, trials, strict=True)
    ]


def _front(trials: Sequence[Trial], across: Scale, up: Scale) -> str:
    """Return the corners of the front: steps from each point to the next one, which leaks more and is worth more."""
    points = sorted(
        (across.at(trial.utility.mean), up.at(trial.advantage.mean))
        for trial in trials
        if trial.utility and trial.advantage
    )
    corners: list[tuple[float, float]] = []
    for x, y in points:
        if corners:
            corners.append((corners[-1][0], y))
        corners.append((x, y))
    return " ".join(f"{x:g},{y:g}" for x, y in corners) if len(points) > 1 else ""


def _written(value: float, scale: Scale) -> str:
    return f"{value:.3f}" if scale.high - scale.low < 0.05 else f"{value:.2f}"


def _notes(trials: Sequence[Trial], labels: Sequence[Label | None], marks: Sequence[Mark]) -> list[str]:
    notes = []
    if any(trial.advantage and trial.advantage.low is None for trial in trials):
        notes.append("One seed: how large the noise is is not known, and there are no intervals.")
    if any(whisker.cut for mark in marks for whisker in mark.whiskers):
        notes.append("Intervals of utility that reach beyond the frame are cut off.")
    missing = sum(label is None for label in labels)
    if missing:
        notes.append(f"{counted(missing, 'point')} had no room for a name: point at it, or see the table.")
    return notes
