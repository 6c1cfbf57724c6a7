"""The page: findings in, one self-contained HTML file out."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.audit.findings.folder import REPORT_FILE
from seepage.audit.findings.survey import Survey
from seepage.files import write_private
from seepage.report.feature_errors import feature_errors
from seepage.report.fraction_errors import fraction_errors
from seepage.report.gaps import gaps_table
from seepage.report.parts.crossings import crossings
from seepage.report.parts.federations import federations
from seepage.report.parts.first_screen import first_screen
from seepage.report.parts.glossary import Glossary, glossary
from seepage.report.parts.matrix_table import matrix
from seepage.report.parts.preflight import preflight
from seepage.report.parts.recommended_section import recommended
from seepage.report.parts.rerun import rerun
from seepage.report.parts.trade_offs import trade_offs
from seepage.report.plain_table import Fact
from seepage.scores.levels import TOLERABLE
from seepage.scores.metrics import metric_of


@dataclass(frozen=True)
class Reading:
    """The metrics that were measured, what is named, and which parts of the page need a word besides."""

    metrics: list[Fact]
    glossary: Glossary
    columns: bool
    shares: bool
    traffic: bool
    tolerable: float = TOLERABLE


def reading(survey: Survey) -> Reading:
    """Choose what to explain."""
    found = survey.findings
    told = [name for one in found for name in (one.metric, one.ranking.metric if one.ranking else None)]
    measures = [metric_of(name) for name in dict.fromkeys(told)]
    return Reading(
        [Fact(name=metric.title, texts=(metric.meaning,)) for metric in measures if metric.meaning],
        glossary(survey),
        columns=bool(feature_errors(survey)),
        shares=bool(fraction_errors(survey)),
        traffic=any(one.traffic for one in found if one.status == "ok"),
    )


@dataclass(frozen=True)
class Section:
    """One part of the page: what it shows of an audit, and the template for it. Without a value it is left out."""

    build: Callable[[Survey], object]
    partial: str


SECTIONS: Final = (
    Section(lambda survey: survey.unfinished, "unfinished"),
    Section(lambda survey: not survey.findings, "nothing"),
    Section(first_screen, "first_screen"),
    Section(recommended, "recommended"),
    Section(preflight, "preflight"),
    Section(lambda survey: gaps_table(survey, "failed"), "failed"),
    Section(matrix, "matrix"),
    Section(trade_offs, "trade_offs"),
    Section(lambda survey: _unasked(survey), "unasked"),
    Section(crossings, "crossings"),
    Section(federations, "federations"),
    Section(rerun, "rerun"),
    Section(reading, "reading"),
)
"""The page from top to bottom."""


def write_report(folder: Path, survey: Survey | None = None) -> Path:
    """Draw what was found in a folder, and return where the page is.

    Parameters
    ----------
    survey
        What the folder holds, where that was read before.
    """
    return write_private(folder / REPORT_FILE, render(survey or Survey.read(folder)))


def render(survey: Survey) -> str:
    """Return the page as text. It loads nothing from anywhere, and holds no records."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("seepage", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = files("seepage.report").joinpath("style.css").read_text(encoding="utf-8")
    built = [(section, section.build(survey)) for section in SECTIONS]
    return environment.get_template("page.html.j2").render(
        title=_title(survey.findings),
        policy=_policy(style),
        style=style,
        sections=[(f"partials/{section.partial}.html.j2", value) for section, value in built if value],
    )


def _unasked(survey: Survey) -> str:
    """Return how to ask about a property where nobody looked at one: while it is recorded, or by an option."""
    if not survey.findings or any(finding.asset == "properties" for finding in survey.findings):
        return ""
    return "recorder" if survey.notes.of_a_recording else "option"


def _policy(style: str) -> str:
    """Forbid the network, every script and every style but ours: what slipped in through a name would do nothing."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _title(findings: Sequence[Finding]) -> str:
    names = list(dict.fromkeys(finding.data for finding in findings))
    return f"Leakage audit of {', '.join(names)}" if names else "Leakage audit"
