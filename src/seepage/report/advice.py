"""Which of the tried defenses to prefer, and at what cost, in words."""

from seepage.audit.findings.comparison import Doubt, compared
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.scenes import PUT_BACK, Scene, Trial
from seepage.audit.findings.summary import SummaryLine
from seepage.report.theory.node_bounds import KEY as NODES
from seepage.scores.digits import number
from seepage.scores.intervals import Interval
from seepage.scores.levels import TOLERABLE
from seepage.scores.metrics import metric_of


def advice(scene: Scene) -> tuple[str, ...]:
    """Say which defense leaks least, which is the cheapest that suffices, and which could not be compared."""
    if not scene.defended:
        return ("No defense was tried.",)
    if scene.quiet:
        return ("There is next to nothing to lower, with or without a defense.",)
    found = compared(scene)
    bare = scene.undefended.advantage if scene.undefended else None
    told = (
        ("No tried defense can be compared.",)
        if found.lowest is None
        else (_lowest(found.lowest, bare), _cheapest(found.cheapest, found.lowest, bare))
    )
    return (*told, *(_left_out(trial, why) for trial, why in found.left_out))


def _lowest(trial: Trial, bare: Interval | None) -> str:
    name = defense_label(trial.first)
    if bare is not None and trial.leak >= bare.mean:
        return (
            f"None of the tried defenses lowers the advantage; the lowest, {name}, leaves it at {number(trial.leak)}."
        )
    verb = "leaves the advantage at" if bare is None else "brings the advantage down to"
    return f"Lowest leak among the tried defenses: {name} {verb} {_leak_and_price(trial)}."


def _cheapest(trial: Trial | None, lowest: Trial, bare: Interval | None) -> str:
    limit = f"at or below {TOLERABLE:g}"
    if bare is not None and bare.mean <= TOLERABLE:
        return f"The advantage is {limit} without a defense as well."
    if trial is None:
        return f"None of the tried defenses keeps the advantage {limit}."
    if trial is lowest:
        return f"It is also the cheapest defense that keeps the advantage {limit}."
    name = defense_label(trial.first)
    return f"Cheapest defense that keeps the advantage {limit}: {name}, with {_leak_and_price(trial)}."


def _left_out(trial: Trial, why: Doubt) -> str:
    name = defense_label(trial.first)
    if why is Doubt.IDLE:
        nodes = trial.strongest is not None and NODES in trial.strongest.first.bounds
        known = "saw the same as" if any(line.views for line in trial.lines) else "guessed the same as"
        same = "saw the same nodes as" if nodes else known
        return f"Without effect here: {name}. The adversary {same} without a defense."
    if why is Doubt.BETRAYS and (line := trial.betraying):
        return (
            f"Not counted as protection: {name}. It leaves {line.first.attack} without an answer for "
            f"{1 - line.answered:.0%} of the rows, but on the others the advantage is {line.advantage_answered}."
        )
    if why is Doubt.UNDONE and (line := trial.undone):
        written = line.measure.written
        return (
            f"Not counted as protection: {name}. It moves the share, and the best estimate is off by "
            f"{written((trial.strongest or line).value)}; but who sees how many rows were withdrawn, and puts them "
            f"back as people with the property, is off by {written(line.other[PUT_BACK])} ({line.first.attack})."
        )
    if why is Doubt.NOT_ATTACKED:
        return f"Not compared: {name}, because no attack could be run under it."
    return f"Not compared: {name}, because it has no number for {', '.join(trial.unmeasured) or 'any attack'}."


def _leak_and_price(trial: Trial) -> str:
    return f"{trial.advantage or number(None)} {price(trial.priced if trial.strongest else None)}"


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
