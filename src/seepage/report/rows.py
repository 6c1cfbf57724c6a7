"""The rows of 'Who can learn what', and the shorter tables below it."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seepage.audit.findings import Finding, Status
from seepage.audit.summary import SummaryLine
from seepage.report.scenes import attack_key
from seepage.report.sentences import ASSETS, level
from seepage.report.wording import NO_NUMBER, bounds, metric_name, number, settings, together

TOO_CLOSE = "blind and ceiling are too close"
NOT_KNOWN = "truth not known"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table, written out.

    `opens` marks the first row of an attack; rows below it repeat most cells, which
    the page then prints fainter.
    """

    adversary: str
    attack: str
    attack_details: str
    federation: str
    federation_details: str
    defense: str
    defense_details: str
    undefended: bool
    value: str
    value_details: str
    blind: str
    blind_kind: str
    ceiling: str
    ceiling_kind: str
    advantage: str
    advantage_details: str
    answered: str
    level: str
    bar: tuple[float, float, float] | None
    utility: str
    utility_metric: str
    cost: str
    seeds: str
    opens: bool


@dataclass(frozen=True, kw_only=True)
class Missing:
    """Runs without a number, and why."""

    adversary: str
    asset: str
    attack: str
    federation: str
    defenses: str
    runs: int
    reason: str


def rows_by_asset(lines: Iterable[SummaryLine]) -> dict[str, list[Row]]:
    """Write out every line that was run; the strongest leaks come first, defenses below what they defend."""
    fine = [line for line in lines if line.status == "ok"]
    assets = dict.fromkeys((*ASSETS, *(line.first.asset for line in fine)))
    varying = _varying(fine)
    table = {asset: _rows([line for line in fine if line.first.asset == asset], varying) for asset in assets}
    return {asset: rows for asset, rows in table.items() if rows}


def missing(findings: Iterable[Finding], status: Status) -> list[Missing]:
    """Gather runs of one status by reason; defenses that share it share a row."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        if finding.status == status:
            key = (finding.data, finding.adversary, finding.asset, finding.attack, finding.federation, finding.reason)
            groups.setdefault(key, []).append(finding)
    return [_missing(group) for group in groups.values()]


def _missing(group: Sequence[Finding]) -> Missing:
    first = group[0]
    return Missing(
        adversary=together(first.adversary),
        asset=first.asset,
        attack=first.attack,
        federation=first.federation,
        defenses=_defenses(group),
        runs=len(group),
        reason=first.reason or "No reason was recorded.",
    )


def _defenses(group: Sequence[Finding]) -> str:
    """Name the defenses with their settings, or without where that would be long."""
    written = dict.fromkeys(_defense(finding) for finding in group)
    if len(written) > 3:
        written = dict.fromkeys(finding.defense or "none" for finding in group)
    return ", ".join(written)


def _defense(finding: Finding) -> str:
    written = settings(finding.defense_settings)
    return f"{finding.defense} ({written})" if finding.defense and written else finding.defense or "none"


def _rows(lines: Sequence[SummaryLine], varying: Callable[[Finding], tuple[str, str]]) -> list[Row]:
    groups: dict[str, list[SummaryLine]] = {}
    for line in lines:
        groups.setdefault(_group_key(line), []).append(line)
    for group in groups.values():
        group.sort(key=lambda line: (line.first.defense is not None, -_mean(line)))
    ordered = sorted(groups.values(), key=lambda group: -_mean(group[0]))
    return [_row(line, varying, opens=line is group[0]) for group in ordered for line in group]


def _row(line: SummaryLine, varying: Callable[[Finding], tuple[str, str]], *, opens: bool) -> Row:
    first, advantage = line.first, line.advantage
    attack_details, federation_details = varying(first)
    return Row(
        adversary=together(first.adversary),
        attack=first.attack,
        attack_details=attack_details,
        federation=first.federation,
        federation_details=federation_details,
        defense=first.defense or "none",
        defense_details=settings(first.defense_settings),
        undefended=first.defense is None,
        value=number(line.value),
        value_details=_value_details(line),
        blind=number(line.blind),
        blind_kind=first.blind_kind or "",
        ceiling=number(line.ceiling),
        ceiling_kind=first.ceiling_kind or "",
        advantage=number(advantage.mean) if advantage else NO_NUMBER,
        advantage_details=bounds(advantage) if advantage else _why_no_advantage(line),
        answered=_answered(line),
        level=level(advantage.mean) if advantage else "unknown",
        bar=_bar(line),
        utility=number(line.utility),
        utility_metric=metric_name(first.utility_metric),
        cost=_cost(line),
        seeds=f"{line.seeds} of {line.seeds + line.failed}" if line.failed else str(line.seeds),
        opens=opens,
    )


def _value_details(line: SummaryLine) -> str:
    if line.value is None:
        return NOT_KNOWN
    return f"{metric_name(line.first.metric)}, {line.first.rows} rows"


def _answered(line: SummaryLine) -> str:
    """Say what an attack that is silent on many rows reaches on the others."""
    if not line.betrays_some_rows or line.advantage_answered is None:
        return ""
    return f"{number(line.advantage_answered.mean)} on the {line.answered:.0%} answered"


def _why_no_advantage(line: SummaryLine) -> str:
    if line.value is None:
        return NOT_KNOWN
    return TOO_CLOSE if line.blind is not None and line.ceiling is not None else "no blind guess or ceiling"


def _bar(line: SummaryLine) -> tuple[float, float, float] | None:
    """Return where the bar ends and where its interval begins and ends, in percent."""
    if line.advantage is None:
        return None
    mean = line.advantage.mean
    low = mean if line.advantage.low is None else line.advantage.low
    high = mean if line.advantage.high is None else line.advantage.high
    return (round(100 * mean, 1), round(100 * low, 1), round(100 * high, 1))


def _cost(line: SummaryLine) -> str:
    if line.cost is None:
        return ""
    written = number(line.cost)
    return "cost 0.000" if written == "0.000" else f"cost {written}"


def _varying(lines: Sequence[SummaryLine]) -> Callable[[Finding], tuple[str, str]]:
    """Return what tells apart attacks, and federations, that have the same name."""
    attacks: dict[str, list[Mapping[str, Any]]] = {}
    federations: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        attacks.setdefault(line.first.attack, []).append(line.first.attack_settings)
        federations.setdefault(line.first.federation, []).append(_surroundings(line.first))
    several_data = len({line.first.data for line in lines}) > 1

    def varying(finding: Finding) -> tuple[str, str]:
        attack = _differing(finding.attack_settings, attacks[finding.attack])
        federation = _differing(_surroundings(finding), federations[finding.federation])
        if several_data:
            federation = {"data": finding.data, **federation}
        baseline = "baseline" if finding.role == "baseline" else ""
        return "; ".join(filter(None, (baseline, settings(attack)))), settings(federation)

    return varying


def _surroundings(finding: Finding) -> dict[str, Any]:
    return {
        **finding.model_settings,
        "parties": finding.parties,
        "encoding": finding.encoding,
        "scaling": finding.scaling,
        "split": finding.split,
    }


def _differing(mine: Mapping[str, Any], everyone: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    others = list(everyone)
    return {key: value for key, value in mine.items() if any(other.get(key) != value for other in others)}


def _group_key(line: SummaryLine) -> str:
    first = line.first
    fields = (first.data, first.adversary, first.federation, _surroundings(first), attack_key(line))
    return json.dumps(fields, sort_keys=True, default=str)


def _mean(line: SummaryLine) -> float:
    return line.advantage.mean if line.advantage else -1.0
