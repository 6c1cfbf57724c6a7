"""seepage merge."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Exit, Option

from seepage.cli.audit import show_audit
from seepage.cli.console import err, expected_errors


def merge(
    folders: Annotated[list[Path], Argument(help="Folders that slices of one audit wrote to.", metavar="DIR...")],
    folder: Annotated[
        Path | None, Option("--out", help="Folder for the findings and the report; by default the first DIR.")
    ] = None,
) -> None:
    """Bring together what the slices of an audit found, and write the report.

    Nothing is trained. Exit status 1 when slices are missing: the findings that there are, are marked as unfinished.
    """
    with expected_errors():
        from seepage.audit.gathering import merge as merged

        gathered = merged(folders, folder)
        target = folder if folder is not None else folders[0]
        if gathered.findings:
            show_audit(target, gathered.findings.about)
    if gathered.missing:
        err.print(f"Unfinished. Missing: {gathered.absent}. Run what is missing, then merge again.", markup=False)
        raise Exit(code=1)
