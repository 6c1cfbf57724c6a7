"""Findings as a table on the terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from seepage.cli.console import err, out

if TYPE_CHECKING:
    from seepage.audit.findings import Finding
    from seepage.audit.summary import SummaryLine


def print_findings(findings: Sequence["Finding"], title: str) -> None:
    """Print who can learn what, then what could not be tried."""
    from seepage.audit.summary import summarize

    lines = summarize(findings)
    table = Table(title=title, title_justify="left")
    for name in ("adversary", "learns", "attack", "federation", "defense"):
        table.add_column(name, overflow="fold")
    for name in ("value", "blind", "advantage", "utility", "cost"):
        table.add_column(name, justify="right", overflow="fold")
    for line in lines:
        if line.status == "ok":
            table.add_row(*_cells(line))
    if table.row_count:
        out.print(table)
        out.print("advantage: 0 is a blind guess, 1 is everything; 95 % interval over seeds where there are several.")
    for line in lines:
        if line.status != "ok":
            where = f"{line.first.attack} on {line.first.federation}"
            where += f" with {line.defense_label}" if line.first.defense else ""
            (err if line.status == "failed" else out).print(f"{where}: {line.status}. {line.reason}", markup=False)


def _cells(line: "SummaryLine") -> tuple[str, ...]:
    first = line.first
    value = f"{line.value:.3f} {first.metric}" if line.value is not None else "truth not known"
    return (
        "+".join(first.adversary),
        first.asset,
        first.attack,
        first.federation,
        line.defense_label,
        value,
        f"{line.blind:.3f}" if line.blind is not None else "–",
        str(line.advantage) if line.advantage is not None else "–",
        f"{line.utility:.3f} {first.utility_metric}" if line.utility is not None else "–",
        f"{line.cost:+.3f}" if line.cost is not None else "–",
    )
