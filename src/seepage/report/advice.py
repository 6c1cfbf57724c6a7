"""Which of the tried defenses to prefer, and at what cost."""

from collections.abc import Sequence
from typing import Final

from seepage.audit.findings.summary import SummaryLine
from seepage.report.node_bounds import KEY as NODES
from seepage.report.scenes import PUT_BACK, Scene, Trial
from seepage.report.wording import settings, with_bounds
from seepage.scores.digits import number
from seepage.scores.intervals import Interval
from seepage.scores.metrics import metric_of

TOLERABLE: Final = 0.2
"""The advantage up to which the page looks for the cheapest defense."""


def advice(scene: Scene) -> tuple[str, ...]:
    """Say which defense leaks least, which is the cheapest that suffices, and which could not be compared."""
    bare = scene.undefended.advantage if scene.undefended else None
    if not scene.defended:
        return ("No defense was tried.",)
    if scene.quiet:
        return ("There is next to nothing to lower, with or without a defense.",)
    idle = [trial for trial in scene.defended if trial.changes_nothing(scene.undefended)]
    compared = [
        trial
        for trial in scene.defended
        if trial.complete and not trial.betraying and not trial.undone and trial not in idle
    ]
    skipped = tuple(_left_out(trial, idle) for trial in scene.defended if trial not in compared)
    if not compared:
        return ("No tried defense can be compared.", *skipped)
    lowest = min(compared, key=lambda trial: (_leak(trial), _cost(trial)))
    enough = [trial for trial in compared if _leak(trial) <= TOLERABLE]
    cheapest = min(enough, key=lambda trial: (_cost(trial), _leak(trial)), default=None)
    return (_lowest(lowest, bare), _cheapest(cheapest, lowest, bare), *skipped)


def _lowest(trial: Trial, bare: Interval | None) -> str:
    if bare is not None and _leak(trial) >= bare.mean:
        return (
            f"None of the tried defenses lowers the advantage; the lowest, {_name(trial)}, "
            f"leaves it at {number(_leak(trial))}."
        )
    verb = "leaves the advantage at" if bare is None else "brings the advantage down to"
    return f"Lowest leak among the tried defenses: {_name(trial)} {verb} {_leak_and_price(trial)}."


def _cheapest(trial: Trial | None, lowest: Trial, bare: Interval | None) -> str:
    limit = f"at or below {TOLERABLE:g}"
    if bare is not None and bare.mean <= TOLERABLE:
        return f"The advantage is {limit} without a defense as well."
    if trial is None:
        return f"None of the tried defenses keeps the advantage {limit}."
    if trial is lowest:
        return f"It is also the cheapest defense that keeps the advantage {limit}."
    return f"Cheapest defense that keeps the advantage {limit}: {_name(trial)}, with {_leak_and_price(trial)}."


def _left_out(trial: Trial, idle: Sequence[Trial]) -> str:
    if trial in idle:
        nodes = trial.strongest is not None and NODES in trial.strongest.first.bounds
        known = "saw the same as" if any(line.views for line in trial.lines) else "guessed the same as"
        same = "saw the same nodes as" if nodes else known
        return f"Without effect here: {_name(trial)}. The adversary {same} without a defense."
    if trial.complete and trial.betraying is not None:
        line = trial.betraying
        return (
            f"Not counted as protection: {_name(trial)}. It leaves {line.first.attack} without an answer for "
            f"{1 - line.answered:.0%} of the rows, but on the others the advantage is "
            f"{with_bounds(line.advantage_answered) if line.advantage_answered else number(None)}."
        )
    if trial.complete and trial.undone is not None:
        line = trial.undone
        written = line.measure.written
        return (
            f"Not counted as protection: {_name(trial)}. It moves the share, and the best estimate is off by "
            f"{written((trial.strongest or line).value)}; but who sees how many rows were withdrawn, and puts them "
            f"back as people with the property, is off by {written(line.other[PUT_BACK])} ({line.first.attack})."
        )
    if not trial.attacked and not trial.unmeasured:
        return f"Not compared: {_name(trial)}, because no attack could be run under it."
    return f"Not compared: {_name(trial)}, because it has no number for {', '.join(trial.unmeasured) or 'any attack'}."


def _name(trial: Trial) -> str:
    first = trial.lines[0].first
    written = settings(first.defense_settings)
    return f"{first.defense} ({written})" if written else str(first.defense)


def _leak_and_price(trial: Trial) -> str:
    leak = with_bounds(trial.advantage) if trial.advantage else number(None)
    return f"{leak} {price(_priced(trial) if trial.strongest else None)}"


def price(line: SummaryLine | None) -> str:
    """Say what a defense costs: utility, and predictions that are not released."""
    cost = line.cost if line else None
    if line is None or cost is None:
        return "at a cost that was not measured"
    metric = metric_of(line.first.utility_metric).title
    withheld = f" ({line.withheld:.0%} of all predictions are withheld)" if line.withheld else ""
    if abs(cost) < 0.0005:
        return f"at no cost in {metric}{withheld}"
    lost = f"at a cost of {number(cost)} {metric}" if cost > 0 else f"while {metric} rises by {number(-cost)}"
    return lost + withheld


def _leak(trial: Trial) -> float:
    return trial.advantage.mean if trial.advantage else float("inf")


def _cost(trial: Trial) -> float:
    cost = _priced(trial).cost if trial.strongest else None
    return float("inf") if cost is None else cost


def _priced(trial: Trial) -> SummaryLine:
    """Return the line whose utility the defense alone has lowered: the strongest, unless its adversary did as well."""
    strongest = trial.strongest or trial.lines[0]
    honest = [line for line in trial.lines if line.cost is not None]
    return strongest if strongest.cost is not None or not honest else honest[0]
