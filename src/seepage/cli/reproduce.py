"""seepage reproduce."""

from pathlib import Path
from typing import Annotated

from rich.markup import escape
from rich.table import Table
from typer import Argument, Option

from seepage.cli import options
from seepage.cli.console import expected_errors, out, progress_bar


def reproduce(
    table: Annotated[
        str, Argument(help="A table or figure of a paper, such as tree/table2; 'seepage list tables' shows all.")
    ],
    only: Annotated[str | None, Option(help="One data set only.")] = None,
    seeds: Annotated[
        int | None, Option(help="How many seeds; by default as many as the table has for each data set.", min=1)
    ] = None,
    folder: Annotated[
        Path | None, Option("--out", help="Folder to keep results in; a killed run continues there.")
    ] = None,
    jobs: options.Jobs = None,
    device: options.Device = None,
) -> None:
    """Show a paper's numbers next to ours."""
    from seepage.papers.catalog import TABLES
    from seepage.papers.order import Order

    with expected_errors():
        paper = TABLES[table]
        with progress_bar() as progress:
            order = Order(
                only=only, seeds=seeds, out=folder, jobs=options.default_jobs(jobs), device=device or "cpu",
                progress=progress,
            )  # fmt: skip
            lines = paper.lines(order)
    shown = Table(title=paper.title, title_justify="left", caption=paper.note, caption_justify="left")
    for heading in lines[0]:
        shown.add_column(heading, overflow="fold")
    for line in lines:
        shown.add_row(*map(escape, line.values()))
    out.print(shown)
