"""seepage gate."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Exit, Option

from seepage.cli.console import err, expected_errors, out


def gate(
    run: Annotated[Path, Argument(help="Folder that an audit wrote.")],
    limit: Annotated[
        list[str] | None, Option("--max", help="Highest advantage allowed, as labels=0.2.", metavar="ASSET=LIMIT")
    ] = None,
    defense: Annotated[
        str | None,
        Option(help="Look only at findings under this defense; 'none' means without one. By default all count."),
    ] = None,
) -> None:
    """Fail when a leak found in RUN is above its limit.

    Exit status 1 when a leak is above its limit, or when that is not known: an asset with a limit has no finding,
    or the audit was stopped.
    """
    from seepage.audit.findings.finding import read_findings
    from seepage.audit.findings.gate import Limits, violations
    from seepage.audit.findings.unfinished import read_unfinished

    with expected_errors():
        limits = Limits.parse(limit or ())
        found = violations(read_findings(run), limits, defense)
        unfinished = read_unfinished(run)
    if unfinished is not None:
        found.append(f"The audit was stopped after {unfinished}, so no limit is known to hold. Run it again to go on.")
    for sentence in found:
        err.print(sentence, markup=False)
    if found:
        raise Exit(code=1)
    out.print("No leak is above its limit. An audit finds leaks; it does not prove their absence.")
