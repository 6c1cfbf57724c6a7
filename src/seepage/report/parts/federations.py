"""Everything about one federation: what was measured, what was assumed, what theory bounds, what could not be run."""

from collections.abc import Sequence
from dataclasses import dataclass

from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.finding import Crossing, Finding
from seepage.audit.findings.survey import Survey
from seepage.report.circumstances import granted, named
from seepage.report.feature_errors import FeatureErrors, feature_errors
from seepage.report.fraction_errors import Shares, shares
from seepage.report.gaps import gaps_table
from seepage.report.parts.crossings import size
from seepage.report.pictures.bottom_pictures import BottomPictures, bottom_pictures
from seepage.report.plain_table import Fact, PlainTable, distinct
from seepage.report.purpose import purpose_sentences
from seepage.report.rows import Tables, tables
from seepage.report.theory.bounds import Bounds, bounds
from seepage.report.wording import listed, together
from seepage.scores.digits import counted


@dataclass(frozen=True, kw_only=True)
class FederationDetails:
    """What is known of one federation, kept apart by how it is known."""

    name: str
    summary: str
    marks: tuple[str, ...]
    purpose: list[str]
    settings: tuple[str, ...]
    assumed: tuple[Fact, ...]
    measured: Tables | None
    columns: list[FeatureErrors]
    shares: Shares | None
    bounded: Bounds
    bottoms: list[BottomPictures]
    not_applicable: PlainTable
    failed: PlainTable


def federations(survey: Survey) -> list[FederationDetails]:
    """Tell of every federation by itself."""
    groups = grouped(survey.findings, lambda finding: finding.federation)
    return [_details(name, Survey(group, notes=survey.notes)) for name, group in groups.items()]


def _details(name: str, part: Survey) -> FederationDetails:
    return FederationDetails(
        name=name,
        summary=_summary(part),
        marks=part.certainty.marks,
        purpose=purpose_sentences(part),
        settings=distinct(named(one.federation, one.model_settings) for one in part.findings),
        assumed=_assumed(part.findings),
        measured=tables(part),
        columns=feature_errors(part),
        shares=shares(part),
        bounded=bounds(part),
        bottoms=bottom_pictures(part),
        not_applicable=gaps_table(part, "not applicable"),
        failed=gaps_table(part, "failed"),
    )


def _summary(part: Survey) -> str:
    fine = {one.attack for one in part.findings if one.status == "ok"}
    told = [
        f"{counted(len(fine), 'attack')} with numbers",
        counted(len({one.defense for one in part.findings} - {None}), "defense"),
    ]
    failed = sum(one.status == "failed" for one in part.findings)
    return ", ".join([*told, *([f"{counted(failed, 'run')} failed"] if failed else [])])


def _assumed(findings: Sequence[Finding]) -> tuple[Fact, ...]:
    """Say what every adversary received and what it was granted besides."""
    facts = []
    for adversary, group in grouped(findings, lambda one: one.adversary).items():
        received = _received(adversary, group)
        known = distinct(granted(one) for one in group)
        texts = (*([f"received {received}"] if received else []), *(f"knew {text}" for text in known))
        facts.append(Fact(name=together(adversary), texts=texts or ("nothing is recorded",)))
    return tuple(facts)


def _received(adversary: Sequence[str], group: Sequence[Finding]) -> str:
    """List what the others sent it in one undefended run."""
    counted_ones = [one for one in group if one.crossed]
    if not counted_ones:
        return ""
    shown = min(counted_ones, key=lambda one: (one.defense is not None, one.seed))
    kinds: dict[tuple[str, bool], list[Crossing]] = grouped(
        (one for one in shown.crossed if one.receiver in adversary and one.sender not in adversary),
        lambda one: (one.kind, one.sealed),
    )
    return listed(
        [
            f"{kind}{' (sealed)' * sealed} {size(sum(one.bytes for one in group))}"
            for (kind, sealed), group in kinds.items()
        ]
    )
