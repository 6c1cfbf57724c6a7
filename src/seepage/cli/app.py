"""All commands together."""

import signal
from typing import Annotated

from typer import Exit, Option, Typer, echo

from seepage.cli.attack import attack
from seepage.cli.audit import audit
from seepage.cli.check import check
from seepage.cli.gate import gate
from seepage.cli.keys import keys
from seepage.cli.listing import list_catalogs
from seepage.cli.merge import merge
from seepage.cli.plan import plan
from seepage.cli.recommend import recommend
from seepage.cli.rehearsal import party, rehearse
from seepage.cli.report import report
from seepage.cli.reproduce import reproduce

app = Typer(
    name="seepage",
    help="Measure what leaks between the parties of a vertical federation, and what stops it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command()(audit)
app.command()(plan)
app.command()(attack)
app.command()(check)
app.command()(merge)
app.command("list")(list_catalogs)
app.command()(reproduce)
app.command()(report)
app.command()(gate)
app.command()(recommend)
app.command()(keys)
app.command()(party)
app.command()(rehearse)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        echo(f"seepage {version('seepage')}")
        raise Exit


@app.callback()
def _options(
    version: Annotated[
        bool, Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    del version


def main() -> None:
    """Run the command line as a process of its own, which Ctrl-C and SIGTERM end in a sentence, also when repeated."""
    from seepage.audit.engines.stopping import STOPPING, Stopping

    stopping = Stopping()
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as shells have it for what runs in the background
            signal.signal(number, stopping)
    try:
        app()
    finally:  # what is left is to leave
        for number in STOPPING:
            signal.signal(number, signal.SIG_IGN)
