"""seepage report."""

from pathlib import Path
from typing import Annotated

from typer import Argument

from seepage.cli.console import expected_errors, out


def report(run: Annotated[Path, Argument(help="Folder that an audit wrote.")]) -> None:
    """Draw the page again from the findings stored in RUN."""
    from seepage.report import write_report

    with expected_errors():
        page = write_report(run)
    out.print(f"Report: {page}", markup=False, soft_wrap=True)
