"""Findings as a small table for notebooks: no script, no style sheet, nothing loaded, every name escaped."""

from collections.abc import Sequence
from html import escape
from typing import Final

from seepage.audit.findings.finding import Finding, Status
from seepage.audit.findings.survey import Survey
from seepage.report.gaps import gaps
from seepage.report.overview import NAMES, NUMBERS, overview

STYLE: Final = "text-align: left; vertical-align: top; white-space: pre-line"


def notebook_table(findings: Sequence[Finding]) -> str:
    """Return the lines that the terminal shows, and how many attempts gave no number."""
    survey = Survey(findings)
    shown = overview(survey)
    headings = _row("th", (*NAMES, *NUMBERS))
    lines = "".join(_row("td", row) for row in shown.rows)
    table = f"<table><thead>{headings}</thead><tbody>{lines}</tbody></table>" if lines else ""
    notes = [*shown.notes, *(_gaps(survey, status) for status in ("not applicable", "failed"))]
    return f"<div>{table}{''.join(f'<p>{escape(note)}</p>' for note in notes if note)}</div>"


def _row(kind: str, cells: Sequence[str]) -> str:
    held = "".join(f'<{kind} style="{STYLE}">{escape(cell)}</{kind}>' for cell in cells)
    return f"<tr>{held}</tr>"


def _gaps(survey: Survey, status: Status) -> str:
    """Say how much gave no number, and where to read why."""
    found = gaps(survey, status)
    return f"{len(found)} {status}; to_frame() says why." if found else ""
