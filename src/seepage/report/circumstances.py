"""What the numbers were measured on: data, columns, settings, versions. Never a record."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from seepage.audit.findings.circumstances import Settings, grouped
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.labels import UNDEFENDED, settings_text
from seepage.report.plain_table import Column, Fact, PlainTable, distinct, small, table
from seepage.scores.digits import NO_NUMBER, counted

COLUMNS: Final = (Column("Party"), Column("Columns"), Column("Names", "names"))


@dataclass(frozen=True)
class DealtColumns:
    """How one data set was dealt between parties."""

    data: str
    holdings: PlainTable
    note: str


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
        Fact(name="Federations", texts=distinct(named(f.federation, f.model_settings) for f in findings)),
        Fact(name="Attacks", texts=distinct(named(f.attack, f.attack_settings) for f in findings)),
        Fact(name="Defenses", texts=distinct(named(f.defense or UNDEFENDED, f.defense_settings) for f in findings)),
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


def holders(partition: Mapping[str, Any]) -> tuple[tuple[str, int, bool], ...]:
    """Return every party with how many columns it has, and whether it holds the labels.

    >>> holders({"hospital": ["age", "sex"], "lab": ["dose"]})
    (('hospital', 2, True), ('lab', 1, False))
    """
    parties, active = _parties(partition)
    return tuple((str(party), _width(columns), party == active) for party, columns in parties.items())


def _parties(partition: Mapping[str, Any]) -> tuple[Mapping[str, Any], object]:
    """Read party → columns, alone or beside the name of the active party; otherwise the first is active."""
    nested = partition.get("columns")
    parties = nested if isinstance(nested, Mapping) else partition
    active = partition.get("active") if parties is nested else None
    return parties, active if active in parties else next(iter(parties), None)


def _width(columns: object) -> int:
    if isinstance(columns, (list, tuple)):
        return len(columns)
    return columns if isinstance(columns, int) else 0


def _holdings(partition: Mapping[str, Any]) -> PlainTable:
    parties, active = _parties(partition)
    return table(COLUMNS, (_holding(party, held, active=party == active) for party, held in parties.items()))


def _holding(party: object, columns: object, *, active: bool) -> tuple[str, ...]:
    """Keep names and counts; anything else in a partition is not for the page."""
    holder = small(str(party), "holds the labels" if active else "")
    if isinstance(columns, (list, tuple)):
        return (holder, str(len(columns)), ", ".join(name for name in columns if isinstance(name, str)) or NO_NUMBER)
    return (holder, str(columns) if isinstance(columns, int) else NO_NUMBER, NO_NUMBER)


def named(name: str, values: Mapping[str, Any]) -> str:
    """Write a name with its settings."""
    written = settings_text(values)
    return f"{name}: {written}" if written else name


GRANTED: Final[Mapping[str, Callable[[Any], str]]] = {
    "own_columns": lambda count: f"{counted(count, 'column')} of its own",
    "known_labels": lambda count: counted(count, "label") if count else "no labels",
    "model": lambda released: "the model, where it is released to it" if released else "",
    "known_values": lambda count: f"the values of {counted(count, 'row')}",
    "means": lambda told: "the mean of each column" if told else "",
    "complete": lambda told: "all columns of some people" if told else "",
    "auxiliary_with": lambda count: f"{count} people with the property",
    "auxiliary_without": lambda count: f"{count} without it",
    "aligned": lambda aligned: "who take part in the training" if aligned else "who do not take part in the training",
}
"""How what an adversary knew besides messages is told."""


def granted(finding: Finding) -> str:
    """Say what an adversary knew besides messages, in counts; a list could hold records, so only its length is told."""
    told = {
        key: f"{len(value)} entries" if isinstance(value, (list, tuple, Mapping)) else value
        for key, value in finding.knowledge.items()
    }
    plain = [GRANTED[key](value) for key, value in told.items() if key in GRANTED and isinstance(value, int)]
    others = {
        key.replace("_", " "): value for key, value in told.items() if not isinstance(value, int) or key not in GRANTED
    }
    return ", ".join(filter(None, (*plain, settings_text(others))))


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
