"""What the numbers were measured on: data, columns, settings, versions. Never a record."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from seepage.audit.findings.circumstances import Settings, grouped
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.labels import UNDEFENDED, settings_text
from seepage.audit.findings.survey import Survey
from seepage.report.fact import Fact, distinct
from seepage.report.plain_table import Column, PlainTable, small, table
from seepage.report.theory.bounds import Bounds, bounds
from seepage.report.wording import together
from seepage.scores.digits import NO_NUMBER, counted

COLUMNS: Final = (Column("Party"), Column("Columns"), Column("Names", "names"))


@dataclass(frozen=True)
class DealtColumns:
    """How one data set was dealt between parties."""

    data: str
    holdings: PlainTable
    note: str


@dataclass(frozen=True)
class Told:
    """All that makes two audits comparable, and the plan as it was written."""

    dealings: list[DealtColumns]
    facts: list[Fact]
    bounds: Bounds
    plan_text: str | None


def circumstances(survey: Survey) -> Told | None:
    """Tell what the numbers were measured on; None where there is nothing to tell."""
    if not survey.findings and not survey.plan_text:
        return None
    return Told(dealings(survey.findings), facts(survey.findings), bounds(survey), survey.plan_text)


def dealings(findings: Sequence[Finding]) -> list[DealtColumns]:
    """Show one dealing of columns for each data set, and say when other seeds had others."""
    dealt = grouped((finding for finding in findings if finding.partition), lambda one: one.data)
    return [_dealing(data, group) for data, group in dealt.items()]


def facts(findings: Sequence[Finding]) -> list[Fact]:
    """List everything else that makes two audits comparable."""
    gathered = [
        Fact(name="Data", texts=distinct(finding.data for finding in findings)),
        Fact(name="Properties", texts=distinct(finding.property or "" for finding in findings)),
        Fact(name="Encoding", texts=distinct(finding.encoding for finding in findings)),
        Fact(name="Scaling", texts=distinct(finding.scaling for finding in findings)),
        Fact(name="Split", texts=distinct(finding.split for finding in findings)),
        Fact(name="Scored rows", texts=distinct(finding.rows for finding in findings)),
        Fact(name="Federations", texts=distinct(_named(f.federation, f.model_settings) for f in findings)),
        Fact(name="Attacks", texts=distinct(_named(f.attack, f.attack_settings) for f in findings)),
        Fact(name="Defenses", texts=distinct(_named(f.defense or UNDEFENDED, f.defense_settings) for f in findings)),
        Fact(name="The adversary knew", texts=distinct(_knowledge(finding) for finding in findings)),
        Fact(name="Seeds", texts=(", ".join(str(seed) for seed in sorted({f.seed for f in findings})),)),
        Fact(name="Versions", texts=_versions(findings)),
        Fact(name="Run time", texts=_run_time(findings)),
        Fact(name="Peak memory", texts=_peak(findings)),
    ]
    return [fact for fact in gathered if any(fact.texts)]


def _dealing(data: str, group: Sequence[Finding]) -> DealtColumns:
    dealt = {Settings(finding.partition) for finding in group}
    kind = group[0].partition.get("kind")
    how = f"Dealt: {kind}." if isinstance(kind, str) else ""
    others = "" if len(dealt) == 1 else f"Columns were dealt anew between runs; shown is seed {group[0].seed}."
    return DealtColumns(data=data, holdings=_holdings(group[0].partition), note=f"{how} {others}".strip())


def _holdings(partition: Mapping[str, Any]) -> PlainTable:
    """Read party → columns, alone or beside the name of the active party; otherwise the first is active."""
    nested = partition.get("columns")
    parties = nested if isinstance(nested, Mapping) else partition
    active = partition.get("active") if parties is nested else None
    named = active if active in parties else next(iter(parties), None)
    return table(COLUMNS, (_holding(party, held, active=party == named) for party, held in parties.items()))


def _holding(party: object, columns: object, *, active: bool) -> tuple[str, ...]:
    """Keep names and counts; anything else in a partition is not for the page."""
    holder = small(str(party), "holds the labels" if active else "")
    if isinstance(columns, (list, tuple)):
        return (holder, str(len(columns)), ", ".join(name for name in columns if isinstance(name, str)) or NO_NUMBER)
    return (holder, str(columns) if isinstance(columns, int) else NO_NUMBER, NO_NUMBER)


def _named(name: str, values: Mapping[str, Any]) -> str:
    written = settings_text(values)
    return f"{name}: {written}" if written else name


def _knowledge(finding: Finding) -> str:
    """Say what was granted, in counts; a list could hold records, so only its length is printed."""
    granted = {
        key.replace("_", " "): f"{len(value)} entries" if isinstance(value, (list, tuple, Mapping)) else value
        for key, value in finding.knowledge.items()
    }
    return _named(together(finding.adversary), granted) if granted else ""


def _versions(findings: Iterable[Finding]) -> tuple[str, ...]:
    return distinct(
        ", ".join(f"{name} {version}" for name, version in finding.versions.items()) for finding in findings
    )


def _run_time(findings: Iterable[Finding]) -> tuple[str, ...]:
    seconds = [finding.seconds for finding in findings if finding.seconds is not None]
    if not seconds:
        return ()
    return (f"{sum(seconds):.1f} s in all, {max(seconds):.1f} s at most for one of {counted(len(seconds), 'run')}",)


def _peak(findings: Iterable[Finding]) -> tuple[str, ...]:
    peaks = [finding.peak_mb for finding in findings if finding.peak_mb is not None]
    return (f"{max(peaks):.0f} MB",) if peaks else ()
