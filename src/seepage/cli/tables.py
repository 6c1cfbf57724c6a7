"""Findings as a table on the terminal."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from seepage.cli.console import err, out

if TYPE_CHECKING:
    from seepage.audit.findings.finding import Finding
    from seepage.audit.findings.summary import SummaryLine


def print_findings(findings: Sequence["Finding"], title: str, *, every: bool = False) -> None:
    """Print who can learn what, then what could not be tried.

    Parameters
    ----------
    every
        Whether there is a line for every defense also where next to nothing was learned.
    """
    from seepage.audit.findings.finding import CHOSEN
    from seepage.audit.findings.summary import summarize
    from seepage.report.gaps import gaps

    lines = summarize(findings)
    varying = _varying(lines)
    table = Table(title=escape(title), title_justify="left")
    for name in ("adversary", "learns", "attack", "federation", "defense"):
        table.add_column(name, overflow="fold")
    for name in ("value", "blind", "advantage", "utility", "cost"):
        table.add_column(name, justify="right", overflow="fold")
    fine = [line for line in lines if line.status == "ok" and line.first.role != CHOSEN]
    strongest = _strongest(fine)
    shown = strongest if every else _telling(strongest)
    for line in shown:
        table.add_row(*map(escape, _cells(line, varying)))
    if table.row_count:
        out.print(table)
        if len(strongest) < len(fine):
            out.print("Each line shows the strongest of several attacks or settings; the findings hold all.")
        if len(shown) < len(strongest):
            out.print("Where little was learned with and without a defense, one line stands for all.")
        out.print("advantage: 0 is a blind guess, 1 is everything; 95 % interval over seeds where there are several.")
        picked = [line for line in lines if line.first.role == CHOSEN and line.first.defense is None and line.advantage]
        if picked:
            out.print(
                "This is the worst case, told by the truth. Who has to choose by what it knows, without a defense:"
            )
        for line in picked:
            out.print(_picked(line), markup=False)
    for gap in gaps(findings, "not applicable"):
        out.print(f"{gap.sentence}: not applicable. {gap.reason}", markup=False)
    for gap in gaps(findings, "failed"):
        err.print(f"{gap.sentence}: failed. {gap.reason}", markup=False)


def _picked(line: "SummaryLine") -> str:
    """Say what an adversary reaches who picks its attack by what it knows itself."""
    first = line.first
    return (
        f"  {'+'.join(first.adversary)} on {first.federation}, {first.asset}: advantage {line.advantage} "
        f"by {', '.join(dict.fromkeys(line.picks))}"
    )


def _strongest(lines: Sequence["SummaryLine"]) -> list["SummaryLine"]:
    """Keep, of all that was tried on one federation under one defense, what got furthest.

    Where a baseline alone gave a number, and learned nothing, there is no line, unless there would be none at all.
    """
    best: dict[tuple[object, ...], SummaryLine] = {}
    for line in lines:
        first = line.first
        key = (first.data, first.adversary, first.asset, first.property, first.federation, str(first.model_settings),
               line.defense_label)  # fmt: skip
        if key not in best or _reach(line) > _reach(best[key]):
            best[key] = line
    telling = [
        line for line in best.values() if line.first.role != "baseline" or (line.advantage and line.advantage.mean > 0)
    ]
    return telling or list(best.values())


def _telling(lines: Sequence["SummaryLine"]) -> list["SummaryLine"]:
    """Put what was stolen from one federation together, labels first; where nothing was, one line is enough."""
    from seepage.report.scenes import NOTICEABLE
    from seepage.report.sentences import ASSETS

    groups: dict[tuple[object, ...], list[SummaryLine]] = {}
    asked = list(dict.fromkeys(line.first.property for line in lines))
    for line in sorted(
        lines, key=lambda line: ((*ASSETS, line.first.asset).index(line.first.asset), asked.index(line.first.property))
    ):
        first = line.first
        key = (
            first.asset, first.property, first.data, first.adversary, first.federation, str(first.model_settings)
        )  # fmt: skip
        groups.setdefault(key, []).append(line)
    return [
        line
        for group in groups.values()
        for line in (group if any(max(_reach(one)[:2]) >= NOTICEABLE for one in group) else group[:1])
    ]


def _reach(line: "SummaryLine") -> tuple[float, float, bool, bool]:
    first, sure = line.first, line.advantage_answered if line.betrays_some_rows else None
    reached = line.advantage.mean if line.advantage else -1.0
    return (reached, sure.mean if sure else 0.0, first.role != "baseline", first.rows == "train")


def _short_label(line: "SummaryLine") -> str:
    """Name a defense by its first setting and those that are not at their default."""
    from seepage.audit.plan.settings import settings_of
    from seepage.defenses import DEFENSES

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


def _varying(lines: Sequence["SummaryLine"]) -> set[tuple[str, str]]:
    """Return the settings in which attacks of one name differ, each with that name."""
    seen: dict[tuple[str, str], set[str]] = {}
    for line in lines:
        for key, value in line.first.attack_settings.items():
            seen.setdefault((line.first.attack, key), set()).add(str(value))
    return {named for named, values in seen.items() if len(values) > 1}


def _spelled(attack: str, settings: Mapping[str, Any], varying: set[tuple[str, str]]) -> str:
    shown = ", ".join(f"{key}={value}" for key, value in settings.items() if (attack, key) in varying)
    return f"\n({shown})" if shown else ""


def _cells(line: "SummaryLine", varying: set[tuple[str, str]]) -> tuple[str, ...]:
    from seepage.report.wording import measured, subject

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
        measured(line.blind, line.metric),
        advantage,
        f"{line.utility:.3f} {first.utility_metric}" if line.utility is not None else "–",
        _cost(line),
    )


def _value(line: "SummaryLine") -> str:
    from seepage.report.wording import measured

    if line.value is None:
        return "truth not known"
    written = measured(line.value, line.metric)
    outside = "\nnew rows" if line.first.asset == "labels" and line.first.rows != "train" else ""
    return f"within {written}" if line.metric == "fraction_error" else f"{written} {line.metric}{outside}"


def _cost(line: "SummaryLine") -> str:
    """Write what a defense took away from the joint model, or the adversary itself where it tampered."""
    if line.tampering_cost is not None:
        return f"{round(line.tampering_cost, 3) + 0.0:+.3f}\nby tampering"
    cost = f"{round(line.cost, 3) + 0.0:+.3f}" if line.cost is not None else "–"
    return cost + (f"\n{line.withheld:.0%} withheld" if line.withheld else "")
