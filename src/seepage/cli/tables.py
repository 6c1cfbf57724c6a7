"""Findings as a table on the terminal."""

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from seepage.cli.console import err, out

if TYPE_CHECKING:
    from seepage.audit.findings.survey import Survey


def print_survey(survey: "Survey", title: str, *, every: bool = False) -> None:
    """Print who can learn what, then what could not be tried.

    Parameters
    ----------
    every
        Whether there is a line for every defense also where next to nothing was learned.
    """
    from seepage.report.gaps import gaps
    from seepage.report.overview import NAMES, NUMBERS, overview

    shown = overview(survey, every=every)
    table = Table(title=escape(title), title_justify="left")
    for name in NAMES:
        table.add_column(name, overflow="fold")
    for name in NUMBERS:
        table.add_column(name, justify="right", overflow="fold")
    for row in shown.rows:
        table.add_row(*map(escape, row))
    if table.row_count:
        out.print(table)
    for note in shown.notes:
        out.print(note, markup=False)
    for gap in gaps(survey, "not applicable"):
        out.print(f"{gap.sentence}: not applicable. {gap.reason}", markup=False)
    for gap in gaps(survey, "failed"):
        err.print(f"{gap.sentence}: failed. {gap.reason}", markup=False)
