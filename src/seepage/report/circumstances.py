"""What the numbers were measured on: data, columns, settings, versions. Never a record."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seepage.audit.findings.circumstances import Settings
from seepage.audit.findings.finding import Finding
from seepage.report.distinguishing_bounds import KEY as DISTINGUISHING
from seepage.report.equation_bounds import KEY as EQUATIONS
from seepage.report.node_bounds import KEY as NODES
from seepage.report.wording import counted, settings, together


@dataclass(frozen=True, kw_only=True)
class Holding:
    """How many columns a party held, and their names where they are known."""

    party: str
    active: bool
    count: int | None
    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Dealing:
    """How one data set was dealt between parties."""

    data: str
    holdings: tuple[Holding, ...]
    note: str


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A name with what there is to say about it."""

    name: str
    texts: tuple[str, ...]


def dealings(findings: Sequence[Finding]) -> list[Dealing]:
    """Show one dealing of columns for each data set, and say when other seeds had others."""
    shown: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.partition:
            shown.setdefault(finding.data, []).append(finding)
    return [_dealing(data, group) for data, group in shown.items()]


def facts(findings: Sequence[Finding]) -> list[Fact]:
    """List everything else that makes two audits comparable."""
    gathered = [
        Fact(name="Data", texts=_distinct(finding.data for finding in findings)),
        Fact(name="Properties", texts=_distinct(finding.property or "" for finding in findings)),
        Fact(name="Encoding", texts=_distinct(finding.encoding for finding in findings)),
        Fact(name="Scaling", texts=_distinct(finding.scaling for finding in findings)),
        Fact(name="Split", texts=_distinct(finding.split for finding in findings)),
        Fact(name="Scored rows", texts=_distinct(finding.rows for finding in findings)),
        Fact(name="Federations", texts=_distinct(_named(f.federation, f.model_settings) for f in findings)),
        Fact(name="Attacks", texts=_distinct(_named(f.attack, f.attack_settings) for f in findings)),
        Fact(name="Defenses", texts=_distinct(_named(f.defense or "none", f.defense_settings) for f in findings)),
        Fact(name="The adversary knew", texts=_distinct(_knowledge(finding) for finding in findings)),
        Fact(name="Seeds", texts=(", ".join(str(seed) for seed in sorted({f.seed for f in findings})),)),
        Fact(name="Versions", texts=_versions(findings)),
        Fact(name="Run time", texts=_run_time(findings)),
        Fact(name="Peak memory", texts=_peak(findings)),
    ]
    return [fact for fact in gathered if any(fact.texts)]


def bound_facts(findings: Iterable[Finding]) -> list[Fact]:
    """List the bounds that findings carry besides those with a table, seed by seed only where they differ."""
    texts: dict[str, list[str]] = {}
    for finding in findings:
        plain = {
            key: value
            for key, value in finding.bounds.items()
            if key not in {NODES, EQUATIONS, DISTINGUISHING} and not isinstance(value, (list, tuple))
        }
        if plain:
            name = f"{finding.attack} on {finding.federation}, defense {finding.defense or 'none'}"
            texts.setdefault(name, []).append(settings(plain))
    return [Fact(name=name, texts=_distinct(written)) for name, written in texts.items()]


def _dealing(data: str, group: Sequence[Finding]) -> Dealing:
    distinct = {Settings(finding.partition) for finding in group}
    kind = group[0].partition.get("kind")
    how = f"Dealt: {kind}." if isinstance(kind, str) else ""
    others = "" if len(distinct) == 1 else f"Columns were dealt anew between runs; shown is seed {group[0].seed}."
    return Dealing(data=data, holdings=_holdings(group[0].partition), note=f"{how} {others}".strip())


def _holdings(partition: Mapping[str, Any]) -> tuple[Holding, ...]:
    """Read party → columns, alone or beside the name of the active party; otherwise the first is active."""
    nested = partition.get("columns")
    parties = nested if isinstance(nested, Mapping) else partition
    active = partition.get("active") if parties is nested else None
    named = active if active in parties else next(iter(parties), None)
    return tuple(_holding(str(party), columns, active=party == named) for party, columns in parties.items())


def _holding(party: str, columns: object, *, active: bool) -> Holding:
    """Keep names and counts; anything else in a partition is not for the page."""
    if isinstance(columns, (list, tuple)):
        names = tuple(name for name in columns if isinstance(name, str))
        return Holding(party=party, active=active, count=len(columns), names=names)
    count = columns if isinstance(columns, int) else None
    return Holding(party=party, active=active, count=count, names=())


def _named(name: str, values: Mapping[str, Any]) -> str:
    written = settings(values)
    return f"{name}: {written}" if written else name


def _knowledge(finding: Finding) -> str:
    """Say what was granted, in counts; a list could hold records, so only its length is printed."""
    granted = {
        key.replace("_", " "): f"{len(value)} entries" if isinstance(value, (list, tuple, Mapping)) else value
        for key, value in finding.knowledge.items()
    }
    return _named(together(finding.adversary), granted) if granted else ""


def _versions(findings: Iterable[Finding]) -> tuple[str, ...]:
    return _distinct(
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


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(text for text in dict.fromkeys(texts) if text)
