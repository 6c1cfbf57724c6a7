"""Which of the tried defenses to prefer, and at what cost, in words."""

from collections.abc import Sequence

from seepage.audit.findings.comparison import Comparison, Doubt, compared
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.scenes import PUT_BACK, Scene, Trial
from seepage.audit.findings.worth import NEGLIGIBLE
from seepage.report.theory.node_bounds import KEY as NODES
from seepage.report.wording import listed
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
        else (_lowest(found, found.lowest, bare), _cheapest(found, found.lowest, bare))
    )
    return (
        *_purpose(scene),
        *told,
        *(_useless(trial) for trial in found.useless),
        *(_left_out(trial, why) for trial, why in found.left_out),
    )


def _purpose(scene: Scene) -> tuple[str, ...]:
    """Say first where costs mean little, because the federation adds nothing."""
    if not scene.gain_within_noise:
        return ()
    adds = "cannot be told from noise" if scene.gain_unsure else "lies within noise"
    return (
        f"What the federation adds here {adds} ({scene.gain} above the {scene.alone} that the label holder "
        "has alone), so what a defense costs says little.",
    )


def _lowest(found: Comparison, trial: Trial, bare: Interval | None) -> str:
    name = defense_label(trial.first)
    if bare is not None and trial.leak >= bare.mean:
        return (
            f"None of the tried defenses lowers the advantage; the lowest, {name}, leaves it at {number(trial.leak)}."
        )
    verb = "leaves the advantage at" if bare is None else "brings the advantage down to"
    told = f"Lowest leak among the tried defenses: {name} {verb} {_leak_and_price(trial)}."
    return told + _tied("leak", found.lowest_tied)


def _cheapest(found: Comparison, lowest: Trial, bare: Interval | None) -> str:
    trial, limit = found.cheapest, f"at or below {TOLERABLE:g}"
    if bare is not None and bare.mean <= TOLERABLE:
        return f"The advantage is {limit} without a defense as well."
    if trial is None:
        return (
            f"None of the tried defenses keeps the advantage {limit}{' at a bearable cost' if found.useless else ''}."
        )
    unsure = " The upper end of its interval is above that." if found.cheapest_unsure else ""
    if trial is lowest:
        told = f"It is also the cheapest defense that keeps the advantage {limit}."
    else:
        name = defense_label(trial.first)
        told = f"Cheapest defense that keeps the advantage {limit}: {name}, with {_leak_and_price(trial)}."
    return told + unsure + _tied("cost", found.cheapest_tied)


def _tied(what: str, others: Sequence[Trial]) -> str:
    """Name defenses that must not be ranked behind another."""
    names = listed([defense_label(trial.first) for trial in others])
    return f" In {what} it cannot be told apart from {names}." if names else ""


def _useless(trial: Trial) -> str:
    return (
        f"Not counted as cheap: {defense_label(trial.first)}. It keeps {kept_share(trial.kept)} of what the federation "
        "adds to the label holder alone."
    )


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
    return f"{trial.advantage or number(None)} {price(trial)}"


def price(trial: Trial) -> str:
    """Say what a defense costs: utility, the share of the gain that is left, and predictions that are not released."""
    line, cost = trial.priced, trial.cost if trial.strongest else None
    if cost is None:
        return "at a cost that was not measured"
    kept = f", keeping {kept_share(trial.kept)} of what the federation adds" if trial.kept else ""
    withheld = f" ({line.withheld:.0%} of all predictions are withheld)" if line.withheld else ""
    return _lost(cost, metric_of(line.first.utility_metric).title) + kept + withheld


def _lost(cost: Interval, metric: str) -> str:
    bounds = f" {cost.bounds}" if cost.bounds else ""
    if abs(cost.mean) < 0.0005 and not bounds:
        return f"at no cost in {metric}"
    if abs(cost.mean) < NEGLIGIBLE and cost.within_noise(NEGLIGIBLE) and bounds:
        return f"at a cost in {metric} within noise ({number(cost.mean)}{bounds})"
    unsure = f", which {'so few seeds' if bounds else 'one seed'} cannot tell from none" * cost.within_noise(NEGLIGIBLE)
    if cost.mean < 0:
        return f"while {metric} rises by {number(-cost.mean)}{unsure}"
    return f"at a cost of {number(cost.mean)} {metric}{bounds}{unsure}"


def kept_share(kept: Interval | None) -> str:
    """Write the share of the gain that is kept, in percent.

    >>> kept_share(Interval(0.934, 0.88, 0.99)), kept_share(Interval(0.5, None, None)), kept_share(None)
    ('93 % [88 %, 99 %]', '50 %', '–')
    """
    if kept is None:
        return number(None)
    ends = "" if kept.low is None or kept.high is None else f" [{_percent(kept.low)}, {_percent(kept.high)}]"
    return f"{_percent(kept.mean)}{ends}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %".replace("-", "−")
