"""The few lines that tell most, as the terminal and notebooks show them."""

from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.finding import CHOSEN
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.scenes import Scene
from seepage.audit.findings.summary import SummaryLine
from seepage.audit.findings.survey import Survey
from seepage.report.plain_table import small
from seepage.report.rows import NOT_KNOWN, answered, withheld
from seepage.report.wording import picked, subject
from seepage.scores.digits import NO_NUMBER

NAMES: Final = ("adversary", "learns", "attack", "federation", "defense")
NUMBERS: Final = ("value", "blind", "advantage", "utility", "cost")


@dataclass(frozen=True)
class Overview:
    """Who can learn what: a cell for each of `NAMES` and `NUMBERS` in every row, and sentences to read them by."""

    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def overview(survey: Survey, *, every: bool = False) -> Overview:
    """Show the strongest guess under each defense; where next to nothing leaks, one line stands for all.

    Where a baseline alone gave a number, and learned nothing, there is no line, unless there would be none at all.

    Parameters
    ----------
    every
        Whether there is a line for every defense also where next to nothing was learned.
    """
    scenes = [(scene, [trial.shown for trial in scene.trials if trial.shown]) for scene in survey.scenes]
    telling = [(scene, [line for line in lines if line.reach > 0 or not line.is_baseline]) for scene, lines in scenes]
    if not any(lines for _, lines in telling):
        telling = scenes
    strongest = [line for _, lines in telling for line in lines]
    shown = [(scene, line) for scene, lines in telling for line in (lines[:1] if scene.quiet and not every else lines)]
    if not shown:
        return Overview((), ())
    notes = []
    if len(strongest) < sum(line.status == "ok" for line in survey.tried):
        notes.append("Each line shows the strongest of several attacks or settings; the findings hold all.")
    if len(shown) < len(strongest):
        notes.append("Where little was learned with and without a defense, one line stands for all.")
    notes.append("advantage: 0 is a blind guess, 1 is everything; 95 % interval over seeds where there are several.")
    chosen = [line for line in survey.lines if line.first.role == CHOSEN and line.first.defense is None]
    choices = [_choice(line) for line in chosen if line.advantage]
    if choices:
        notes.append(
            "This is the worst case, told by the truth. Who has to choose by what it knows, without a defense:"
        )
    return Overview(tuple(_cells(line, scene, survey) for scene, line in shown), (*notes, *choices))


def _choice(line: SummaryLine) -> str:
    """Say what an adversary reaches who picks its attack by what it knows itself."""
    first = line.first
    return (
        f"  {'+'.join(first.adversary)} on {first.federation}, {first.asset}: advantage {line.advantage} "
        f"by {picked(line.picks)}"
    )


def _cells(line: SummaryLine, scene: Scene, survey: Survey) -> tuple[str, ...]:
    first, details = line.first, survey.attack_details(line.first)
    return (
        "+".join(first.adversary),
        subject(first.asset, first.property),
        small(first.attack, f"({details})" if details else "", "(baseline)" * line.is_baseline),
        first.federation,
        defense_label(first, short=True),
        _value(line),
        line.measure.written(line.blind),
        small(str(scene.quoted(line) or NO_NUMBER), answered(line)),
        f"{line.utility:.3f} {first.utility_metric}" if line.utility is not None else NO_NUMBER,
        _cost(line),
    )


def _value(line: SummaryLine) -> str:
    if line.value is None:
        return NOT_KNOWN
    written = line.measure.written(line.value)
    told = small(f"{written} {line.metric}", "new rows" * line.outside_training)
    return f"within {written}" if line.measure.is_estimate else told


def _cost(line: SummaryLine) -> str:
    """Write what a defense took away from the joint model, or the adversary itself where it tampered."""
    taken = line.cost if line.tampering_cost is None else line.tampering_cost
    return small(
        NO_NUMBER if taken is None else f"{round(taken, 3) + 0.0:+.3f}",
        "by tampering" if line.tampering_cost is not None else "",
        withheld(line) if line.tampering_cost is None else "",
    )
