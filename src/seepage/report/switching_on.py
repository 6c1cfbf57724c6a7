"""What to switch on, on which federation, at what cost, and what stays open or unknown even so."""

from collections.abc import Sequence
from typing import Final

from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.comparison import Option, options
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.scenes import Scene, Trial
from seepage.audit.findings.survey import Survey
from seepage.report.advice import price
from seepage.report.wording import listed, opening, subjects, together
from seepage.scores.digits import number
from seepage.scores.levels import TOLERABLE
from seepage.scores.metrics import metric_of

DISTILLING: Final = "prediction-distillation"
"""The attack that reads nothing but predictions."""


def switch_on(survey: Survey, us: str) -> str:
    """Choose the federation and the defense that leave least open, of those that are worth having, and say so.

    What others learn about the label holder, to whom the page speaks, goes before what it learns about them.
    A defense is judged by all that leaks while it is on, not only by what it is switched on against.
    """
    found = [one for one in options(survey.scenes) if one.first.defense is None or one.helps]
    if not found:
        return ""
    if not any(scene.defended for scene in survey.scenes) and any(one.open for one in found):
        return "No defense was tried, so nothing can be said about what to switch on."
    alone = max((scene.alone.mean for scene in survey.scenes if scene.alone), default=None)
    worthy = [one for one in found if one.worth_having(alone)]
    best, tighter = (min(those, key=lambda one: _least_open(one, survey)) for those in (worthy or found, found))
    metric = metric_of(next((one.utility_metric for one in survey.findings if one.utility_metric), None)).title
    own = f"the {metric} of {number(alone)} of the best model on the columns of {us} alone"
    told = _described(best)
    parts = (
        "" if worthy else f"No joint model that was tried is worth more than {own}: ask why to federate.",
        told if worthy else f"If you do: {told[:1].lower()}{told[1:]}",
        _why(best, us, among="" if len(worthy) in {0, len(found)} else f"among models that are worth more than {own}, ")
        if len({one.first.federation for one in found}) > 1
        else "",
        f"Less is left open {_called(tighter)}, but a model of {metric} {number(tighter.utility)} is hardly a reason "
        "to federate."
        if worthy and _least_open(tighter, survey)[:3] < _least_open(best, survey)[:3]
        else "",
    )
    return " ".join(opening(part) for part in parts if part)


def _least_open(option: Option, survey: Survey) -> tuple[int, int, float, float]:
    """Sort by what is open or unknown about us, then about anybody, then by how far that gets, then by utility."""
    aims = [*(scene for scene, _ in option.open), *option.unknown]
    about_us = sum(not survey.is_ours(scene) for scene in aims)
    reach = round(sum(trial.leak for _, trial in option.open), 2)
    return about_us, len(aims), reach, -(option.utility or 0.0)


def _called(option: Option) -> str:
    defense = defense_label(option.first, short=True)
    return f"on {option.first.federation} {f'under {defense}' if option.first.defense else 'without a defense'}"


def _why(option: Option, us: str, among: str) -> str:
    """Say by which rule a federation was chosen."""
    if option.open or option.unknown:
        return (
            f"Why there: {among}least stays above {TOLERABLE:g} or unknown, counting first what is learned about {us}."
        )
    return f"Why there: {among}of what leaves nothing above {TOLERABLE:g}, that model is worth most."


def _described(option: Option) -> str:
    """Say what to switch on, what that leaves, at which cost, and what stays open or unknown."""
    where, limit = f"on {option.first.federation}", f"at or below {TOLERABLE:g}"
    unsure = [scene for scene, trial in option.measured if trial.leak <= TOLERABLE and trial.furthest > TOLERABLE]
    if option.first.defense is None:
        lead = f"{where}, everything that was measured is {limit} without a defense" if not option.open else ""
        lead = lead or f"{where}, no tried defense leaves less open than none does"
    else:
        lead = f"{where}, switch on {defense_label(option.first, short=True)}"
        if option.closed:
            lead += f" against {_each([scene for scene, _ in option.closed], 'learning')}: {_left(option.closed)}"
            unsure = [scene for scene in unsure if scene not in [closed for closed, _ in option.closed]]
        trials = [trial for _, trial in option.measured]
        lead += f" {price(max(trials, key=lambda trial: trial.cost.mean if trial.cost else -1.0))}"
    parts = (
        f"{lead}.",
        f"Open stays {_still(option.open)}." if option.open else "",
        f"So few seeds do not show that {_each(unsure, 'learning')} stays {limit}: add seeds." if unsure else "",
        _keep_predictions(option),
        f"What {_each(option.unknown, 'can learn of')} there is not known." if option.unknown else "",
    )
    return " ".join(opening(part) for part in parts if part)


def _keep_predictions(option: Option) -> str:
    """Say so where what stays open of labels is read off predictions that need not be sent."""
    read = [trial.strongest.first.attack for _, trial in option.open if trial.strongest]
    if DISTILLING not in read:
        return ""
    return "Labels are read off predictions there: if partners need not see these, audit again with --hide-predictions."


def _left(closed: Sequence[tuple[Scene, Trial]]) -> str:
    """Say what a defense leaves of what it is switched on against, and first whether that has been shown at all."""
    worst = max((trial for _, trial in closed), key=lambda trial: trial.furthest)
    leaves = f"it leaves an advantage of {worst.advantage}{' (the most of them)' if len(closed) > 1 else ''}"
    if worst.furthest <= TOLERABLE:
        return leaves
    return f"so few seeds do not show yet that it holds, add seeds ({leaves})"


def _still(open_: Sequence[tuple[Scene, Trial]]) -> str:
    """Name what stays open, by whom, with how far it gets."""
    groups = grouped(open_, lambda one: (one[0].first.adversary, one[0].first.asset))
    told = []
    for pairs in groups.values():
        worst = max((trial for _, trial in pairs), key=lambda trial: trial.leak)
        told.append(f"{_each([scene for scene, _ in pairs], 'learning')} ({worst.advantage})")
    return listed(told)


def _each(scenes: Sequence[Scene], verb: str) -> str:
    """Name who learns what; properties of one adversary are told together."""
    groups = grouped(scenes, lambda scene: (scene.first.adversary, scene.first.asset))
    return listed([f"{together(who)} {verb} {subjects(group)}" for (who, _), group in groups.items()])
