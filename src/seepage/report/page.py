"""The page: findings in, one self-contained HTML file out."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from seepage.audit.findings.finding import CHOSEN, Finding, read_findings
from seepage.audit.findings.folder import PLAN_FILE, REPORT_FILE
from seepage.audit.findings.summary import summarize
from seepage.audit.findings.unfinished import Unfinished, read_unfinished
from seepage.files import write_private
from seepage.report.advice import TOLERABLE
from seepage.report.bottom_pictures import bottom_pictures
from seepage.report.charts import charts
from seepage.report.circumstances import Fact, bound_facts, dealings, facts
from seepage.report.distinguishing_bounds import distinguishing_bounds
from seepage.report.equation_bounds import equation_bounds
from seepage.report.feature_errors import feature_errors
from seepage.report.fraction_errors import fraction_errors
from seepage.report.gaps import gaps
from seepage.report.node_bounds import node_bounds
from seepage.report.norm_pictures import norm_pictures
from seepage.report.rows import tables
from seepage.report.sentences import verdicts
from seepage.report.wording import counted
from seepage.scores.metrics import metric_of


def write_report(folder: Path) -> Path:
    """Draw the findings that a folder holds, and return where the page is."""
    findings, unfinished = read_findings(folder), read_unfinished(folder)
    plan = folder / PLAN_FILE
    plan_text = plan.read_text(encoding="utf-8", errors="replace") if plan.is_file() else None
    return write_private(folder / REPORT_FILE, render(findings, plan_text=plan_text, unfinished=unfinished))


def render(findings: Sequence[Finding], *, plan_text: str | None, unfinished: Unfinished | None = None) -> str:
    """Return the page as text. It loads nothing from anywhere, and holds no records.

    Parameters
    ----------
    findings
        What an audit found, one for each seed.
    plan_text
        The plan as it was written, to be shown as it is.
    unfinished
        How far the audit came, where it was stopped; the page says so before anything else.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    lines = summarize(findings)
    tried = [line for line in lines if line.first.role != CHOSEN]
    drawn = charts(tried)
    scripts = _scripts() if drawn else ()
    environment = Environment(
        loader=PackageLoader("seepage", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2").render(
        title=_title(findings),
        subtitle=_subtitle(findings),
        policy=_policy(scripts),
        scripts=scripts,
        verdicts=verdicts(lines),
        tables=tables(lines),
        metrics=_metrics(findings),
        failed=gaps(findings, "failed"),
        not_applicable=gaps(findings, "not applicable"),
        charts=drawn,
        dealings=dealings(findings),
        facts=facts(findings),
        bounds=bound_facts(findings),
        node_bounds=node_bounds(findings),
        equation_bounds=equation_bounds(findings),
        bottom_pictures=bottom_pictures(tried),
        feature_errors=feature_errors(tried),
        fraction_errors=fraction_errors(tried),
        norm_pictures=norm_pictures(tried),
        distinguishing_bounds=distinguishing_bounds(tried),
        unasked=bool(findings) and all(finding.asset != "properties" for finding in findings),
        tolerable=TOLERABLE,
        plan_text=plan_text,
        empty=not findings,
        unfinished=unfinished,
    )


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


def _metrics(findings: Sequence[Finding]) -> list[Fact]:
    """Explain the metrics that were measured."""
    told = [name for one in findings for name in (one.metric, one.ranking.metric if one.ranking else None)]
    measures = [metric_of(name) for name in dict.fromkeys(told)]
    return [Fact(name=metric.title, texts=(metric.meaning,)) for metric in measures if metric.meaning]


def _title(findings: Sequence[Finding]) -> str:
    names = list(dict.fromkeys(finding.data for finding in findings))
    return f"Leakage audit of {', '.join(names)}" if names else "Leakage audit"


def _subtitle(findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    asked = {finding.property for finding in findings if finding.property is not None}
    return " · ".join(
        (
            counted(len({finding.federation for finding in findings}), "federation"),
            counted(len({finding.attack for finding in findings if finding.role != CHOSEN}), "attack"),
            counted(len({finding.defense for finding in findings if finding.defense}), "defense"),
            *([counted(len(asked), "property", "properties")] if asked else []),
            counted(len({finding.seed for finding in findings}), "seed"),
            counted(len(findings), "run"),
        )
    )
