"""seepage check."""

from pathlib import Path
from typing import Annotated

from typer import Argument

from seepage.cli import options
from seepage.cli.console import expected_errors
from seepage.cli.layout import say


def check(
    run: Annotated[Path, Argument(help="Folder that a recorder, or an audit with --keep-transcript, wrote.")],
    adversary: options.Adversary = None,
    truth: options.TruthFile = None,
) -> None:
    """Say what a recording holds, which attacks apply to it, which do not, and why.

    Nothing is attacked. 'seepage audit --transcript RUN' tries what applies.
    """
    with expected_errors():
        from seepage.audit.recordings.applying import check as checked

        for line in str(checked(run, tuple(options.colluding(adversary)), truth)).splitlines():
            say(line, hanging="  ")
