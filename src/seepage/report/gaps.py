"""Runs without a number, gathered by why there is none."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from seepage.audit.findings.circumstances import Circumstances, Key, grouped
from seepage.audit.findings.finding import Finding, Status
from seepage.audit.findings.labels import UNDEFENDED, defense_label
from seepage.audit.findings.survey import Survey
from seepage.report.plain_table import Column, PlainTable, small, table
from seepage.report.wording import listed, subject, together

PLACE = "\0"
"""Stands for the name of a federation in a reason, so that federations that share it can be told together."""
COLUMNS: Final = tuple(Column(name) for name in ("Attack", "Federation", "Adversary", "Defense", "Runs", "Reason"))


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Attacks that gave no number on some federations under some defenses, and why."""

    adversary: str
    asset: str
    properties: tuple[str, ...]
    attacks: tuple[str, ...]
    federations: tuple[str, ...]
    defenses: str
    runs: int
    why: str

    @property
    def reason(self) -> str:
        """The reason, naming all federations."""
        return self.why.replace(PLACE, listed(self.federations))

    @property
    def sentence(self) -> str:
        """What could not be run, in one line."""
        under = "" if self.defenses == UNDEFENDED else f" with {self.defenses}"
        asked = f" for {listed(self.properties)}" if self.properties else ""
        return f"{', '.join(self.attacks)}{asked} on {', '.join(self.federations)}{under}"


def gaps(survey: Survey, status: Status) -> list[Gap]:
    """Gather runs of one status; properties, then attacks, then federations that share the rest share a line."""
    name = _names(survey)
    alike = grouped(
        (finding for finding in survey.findings if finding.status == status),
        lambda finding: (*Circumstances.of(finding).aim, name(finding), finding.federation, finding.reason),
    )
    merged = [_gap(group, name(group[0])) for group in alike.values()]
    for part in ("properties", "attacks", "federations"):
        merged = [_merged(group) for group in grouped(merged, partial(_apart_from, part)).values()]
    return merged


def gaps_table(survey: Survey, status: Status) -> PlainTable:
    """Write the gaps of one status line by line."""
    return table(COLUMNS, map(_row, gaps(survey, status)))


def _row(gap: Gap) -> tuple[str, ...]:
    return (
        small(", ".join(gap.attacks), subject(gap.asset, listed(gap.properties) or None)),
        ", ".join(gap.federations),
        gap.adversary,
        gap.defenses,
        str(gap.runs),
        gap.reason,
    )


def _apart_from(part: str, gap: Gap) -> tuple[object, ...]:
    """Return what gaps must share to be told together although they differ in one part."""
    shared = ("adversary", "asset", "properties", "attacks", "federations", "defenses", "why")
    return tuple(getattr(gap, name) for name in shared if name != part)


def _names(survey: Survey) -> Callable[[Finding], str]:
    """Name attacks; with those settings that tell them apart where one setting could be run and another not."""

    def place(finding: Finding) -> Key:
        return (*Circumstances.of(finding).aim, finding.federation, finding.attack, finding.defense, finding.seed)

    outcomes = grouped(survey.findings, place)

    def name(finding: Finding) -> str:
        differ = len({(one.status, one.reason) for one in outcomes[place(finding)]}) > 1
        details = survey.attack_details(finding) if differ else ""
        return f"{finding.attack} ({details})" if details else finding.attack

    return name


def _gap(group: Sequence[Finding], attack: str) -> Gap:
    first = group[0]
    reason = " ".join((first.reason or "No reason was recorded.").split())
    named = rf"(?<![\w-]){re.escape(first.federation)}(?![\w-])"
    return Gap(
        adversary=together(first.adversary),
        asset=first.asset,
        properties=(first.property,) if first.property is not None else (),
        attacks=(attack,),
        federations=(first.federation,),
        defenses=_defenses(group),
        runs=len(group),
        why=re.sub(named, PLACE, reason, count=1),
    )


def _merged(group: Sequence[Gap]) -> Gap:
    def every(part: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for gap in group for name in getattr(gap, part)))

    return replace(
        group[0],
        properties=every("properties"),
        attacks=every("attacks"),
        federations=every("federations"),
        runs=sum(gap.runs for gap in group),
    )


def _defenses(group: Sequence[Finding]) -> str:
    """Name the defenses with their settings, or without where that would be long."""
    written = dict.fromkeys(map(defense_label, group))
    if len(written) > 3:
        written = dict.fromkeys(finding.defense or UNDEFENDED for finding in group)
    return ", ".join(written)
