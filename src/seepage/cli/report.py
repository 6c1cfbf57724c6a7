"""seepage report."""

from pathlib import Path
from typing import Annotated

from typer import Argument

from seepage.cli import options
from seepage.cli.console import err, expected_errors, out


def report(run: Annotated[Path, Argument(help="Folder that an audit wrote.")], table: options.Table = False) -> None:
    """Draw the page again from the findings stored in RUN."""
    from seepage.audit.findings.findings import Findings
    from seepage.audit.findings.survey import Survey
    from seepage.cli.tables import print_survey
    from seepage.report import write_report

    with expected_errors():
        survey = Survey.read(run)
        page = write_report(run, survey)
    if survey.unfinished is not None:
        err.print(f"Unfinished: the audit was stopped after {survey.unfinished}. Run it again to go on.")
    if table:
        print_survey(survey, f"Who can learn what ({Findings(tuple(survey.findings)).about})")
    out.print(f"Report: {page}", markup=False, soft_wrap=True)
