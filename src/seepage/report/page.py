"""The page: findings in, one self-contained HTML file out."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from seepage.audit.findings.finding import CHOSEN, Finding
from seepage.audit.findings.folder import REPORT_FILE
from seepage.audit.findings.survey import Survey
from seepage.files import write_private
from seepage.report.bottom_pictures import bottom_pictures
from seepage.report.charts import charts
from seepage.report.circumstances import circumstances
from seepage.report.feature_errors import feature_errors
from seepage.report.fraction_errors import fraction_errors, shares
from seepage.report.gaps import gaps_table
from seepage.report.plain_table import Fact
from seepage.report.rows import tables
from seepage.report.sentences import worded_verdicts
from seepage.scores.digits import counted
from seepage.scores.levels import TOLERABLE
from seepage.scores.metrics import metric_of


@dataclass(frozen=True)
class Reading:
    """The metrics that were measured, and which parts of the page need a word besides."""

    metrics: list[Fact]
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
        columns=bool(feature_errors(survey)),
        shares=bool(fraction_errors(survey)),
        traffic=any(one.traffic for one in found if one.status == "ok"),
    )


@dataclass(frozen=True)
class Section:
    """One part of the page: what it shows of an audit, and the template for it. Without a value it is left out."""

    build: Callable[[Survey], object]
    partial: str


CHARTS: Final = Section(charts, "charts")
SECTIONS: Final = (
    Section(lambda survey: survey.unfinished, "unfinished"),
    Section(lambda survey: not survey.findings, "nothing"),
    Section(worded_verdicts, "verdict"),
    Section(lambda survey: gaps_table(survey, "failed"), "failed"),
    Section(tables, "leaks"),
    Section(bottom_pictures, "bottom_pictures"),
    Section(feature_errors, "columns"),
    Section(shares, "shares"),
    Section(lambda survey: bool(survey.findings) and not _asked(survey.findings), "unasked"),
    Section(lambda survey: gaps_table(survey, "not applicable"), "not_applicable"),
    CHARTS,
    Section(circumstances, "circumstances"),
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
    built = [(section, section.build(survey)) for section in SECTIONS]
    shown = [(section, value) for section, value in built if value]
    scripts = _scripts() if any(section is CHARTS for section, _ in shown) else ()
    return environment.get_template("page.html.j2").render(
        title=_title(survey.findings),
        subtitle=_subtitle(survey.findings),
        policy=_policy(scripts),
        scripts=scripts,
        sections=[(f"partials/{section.partial}.html.j2", value) for section, value in shown],
    )


def _asked(findings: Sequence[Finding]) -> bool:
    """Return whether anybody looked at a property."""
    return any(finding.asset == "properties" for finding in findings)


def _scripts() -> tuple[str, ...]:
    """Return Plotly's own script and the few lines that call it."""
    from plotly.offline import get_plotlyjs

    draw = files("seepage.report").joinpath("draw.js").read_text(encoding="utf-8")
    return (get_plotlyjs(), draw)


def _policy(scripts: Sequence[str]) -> str:
    """Forbid the network, and every script but ours: a script that slipped in through a name would not run."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _title(findings: Sequence[Finding]) -> str:
    names = list(dict.fromkeys(finding.data for finding in findings))
    return f"Leakage audit of {', '.join(names)}" if names else "Leakage audit"


def _subtitle(findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    asked = {finding.property for finding in findings} - {None}
    told = (
        counted(len({finding.federation for finding in findings}), "federation"),
        counted(len({finding.attack for finding in findings if finding.role != CHOSEN}), "attack"),
        counted(len({finding.defense for finding in findings} - {None}), "defense"),
        counted(len(asked), "property", "properties") if asked else "",
        counted(len({finding.seed for finding in findings}), "seed"),
        counted(len(findings), "run"),
    )
    return " · ".join(filter(None, told))
