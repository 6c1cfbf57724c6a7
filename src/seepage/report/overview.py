"""The few lines that tell most, as the terminal and notebooks show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from seepage.audit.findings.circumstances import Key
from seepage.audit.findings.finding import CHOSEN, Finding
from seepage.audit.findings.summary import SummaryLine, summarize
from seepage.audit.plan.settings import settings_of
from seepage.defenses import DEFENSES
from seepage.report.scenes import NOTICEABLE
from seepage.report.sentences import ASSETS
from seepage.report.wording import subject

NAMES: Final = ("adversary", "learns", "attack", "federation", "defense")
NUMBERS: Final = ("value", "blind", "advantage", "utility", "cost")


@dataclass(frozen=True)
class Overview:
    """Who can learn what: a cell for each of `NAMES` and `NUMBERS` in every row, and sentences to read them by."""

    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def overview(findings: Sequence[Finding], *, every: bool = False) -> Overview:
    """Choose the lines that tell most.

    Parameters
    ----------
    every
        Whether there is a line for every defense also where next to nothing was learned.
    """
    lines = summarize(findings)
    varying = _varying(lines)
    fine = [line for line in lines if line.status == "ok" and line.first.role != CHOSEN]
    strongest = _strongest(fine)
    shown = strongest if every else _telling(strongest)
    if not shown:
        return Overview((), ())
    notes = []
    if len(strongest) < len(fine):
        notes.append("Each line shows the strongest of several attacks or settings; the findings hold all.")
    if len(shown) < len(strongest):
        notes.append("Where little was learned with and without a defense, one line stands for all.")
    notes.append("advantage: 0 is a blind guess, 1 is everything; 95 % interval over seeds where there are several.")
    picked = [line for line in lines if line.first.role == CHOSEN and line.first.defense is None and line.advantage]
    if picked:
        notes.append(
            "This is the worst case, told by the truth. Who has to choose by what it knows, without a defense:"
        )
    return Overview(tuple(_cells(line, varying) for line in shown), (*notes, *(_picked(line) for line in picked)))


def _picked(line: SummaryLine) -> str:
    """Say what an adversary reaches who picks its attack by what it knows itself."""
    first = line.first
    return (
        f"  {'+'.join(first.adversary)} on {first.federation}, {first.asset}: advantage {line.advantage} "
        f"by {', '.join(dict.fromkeys(line.picks))}"
    )


def _strongest(lines: Sequence[SummaryLine]) -> list[SummaryLine]:
    """Keep, of all that was tried on one federation under one defense, what got furthest.

    Where a baseline alone gave a number, and learned nothing, there is no line, unless there would be none at all.
    """
    best: dict[Key, SummaryLine] = {}
    for line in lines:
        key = line.circumstances.trial
        if key not in best or _reach(line) > _reach(best[key]):
            best[key] = line
    telling = [
        line for line in best.values() if line.first.role != "baseline" or (line.advantage and line.advantage.mean > 0)
    ]
    return telling or list(best.values())


def _telling(lines: Sequence[SummaryLine]) -> list[SummaryLine]:
    """Put what was stolen from one federation together, labels first; where nothing was, one line is enough."""
    groups: dict[Key, list[SummaryLine]] = {}
    asked = list(dict.fromkeys(line.first.property for line in lines))
    for line in sorted(
        lines, key=lambda line: ((*ASSETS, line.first.asset).index(line.first.asset), asked.index(line.first.property))
    ):
        groups.setdefault(line.circumstances.scene, []).append(line)
    return [
        line
        for group in groups.values()
        for line in (group if any(max(_reach(one)[:2]) >= NOTICEABLE for one in group) else group[:1])
    ]


def _reach(line: SummaryLine) -> tuple[float, float, bool, bool]:
    first, sure = line.first, line.advantage_answered if line.betrays_some_rows else None
    reached = line.advantage.mean if line.advantage else -1.0
    return (reached, sure.mean if sure else 0.0, first.role != "baseline", first.rows == "train")


def _short_label(line: SummaryLine) -> str:
    """Name a defense by its first setting and those that are not at their default."""
    first = line.first
    if first.defense is None or first.defense not in DEFENSES:
        return line.defense_label
    usual = settings_of(DEFENSES[first.defense]())
    shown = [
        f"{key}={value}"
        for place, (key, value) in enumerate(first.defense_settings.items())
        if place == 0 or usual.get(key) != value
    ]
    return f"{first.defense} ({', '.join(shown)})"


def _varying(lines: Sequence[SummaryLine]) -> set[tuple[str, str]]:
    """Return the settings in which attacks of one name differ, each with that name."""
    seen: dict[tuple[str, str], set[str]] = {}
    for line in lines:
        for key, value in line.first.attack_settings.items():
            seen.setdefault((line.first.attack, key), set()).add(str(value))
    return {named for named, values in seen.items() if len(values) > 1}


def _spelled(attack: str, settings: Mapping[str, Any], varying: set[tuple[str, str]]) -> str:
    shown = ", ".join(f"{key}={value}" for key, value in settings.items() if (attack, key) in varying)
    return f"\n({shown})" if shown else ""


def _cells(line: SummaryLine, varying: set[tuple[str, str]]) -> tuple[str, ...]:
    first = line.first
    value = _value(line)
    advantage = str(line.advantage) if line.advantage is not None else "–"
    if line.betrays_some_rows and line.advantage_answered is not None:
        advantage += f"\n{line.advantage_answered.mean:.3f} on the {line.answered:.0%} answered"
    return (
        "+".join(first.adversary),
        subject(first.asset, first.property),
        first.attack
        + _spelled(first.attack, first.attack_settings, varying)
        + "\n(baseline)" * (first.role == "baseline"),
        first.federation,
        _short_label(line),
        value,
        line.measure.written(line.blind),
        advantage,
        f"{line.utility:.3f} {first.utility_metric}" if line.utility is not None else "–",
        _cost(line),
    )


def _value(line: SummaryLine) -> str:
    if line.value is None:
        return "truth not known"
    written = line.measure.written(line.value)
    outside = "\nnew rows" if line.first.asset == "labels" and line.first.rows != "train" else ""
    return f"within {written}" if line.measure.is_estimate else f"{written} {line.metric}{outside}"


def _cost(line: SummaryLine) -> str:
    """Write what a defense took away from the joint model, or the adversary itself where it tampered."""
    if line.tampering_cost is not None:
        return f"{round(line.tampering_cost, 3) + 0.0:+.3f}\nby tampering"
    cost = f"{round(line.cost, 3) + 0.0:+.3f}" if line.cost is not None else "–"
    return cost + (f"\n{line.withheld:.0%} withheld" if line.withheld else "")
