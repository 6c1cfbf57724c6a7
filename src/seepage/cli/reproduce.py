"""seepage reproduce."""

from pathlib import Path
from typing import Annotated

from rich.markup import escape
from rich.table import Table
from typer import Argument, Option

from seepage.cli import options
from seepage.cli.console import expected_errors, out, progress_bar
from seepage.files import check_file


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
    keep: Annotated[Path | None, Option(help="File to keep what was found in, compressed; more is added.")] = None,
    stored: Annotated[Path | None, Option("--from", help="Draw from a file that --keep wrote; run nothing.")] = None,
    markdown: Annotated[bool, Option("--markdown", help="Print a table for a page.")] = False,
    jobs: options.Jobs = None,
    device: options.Device = None,
) -> None:
    """Show a paper's numbers next to ours."""
    from seepage.papers.catalog import TABLES
    from seepage.papers.order import Order
    from seepage.papers.stored import read_stored
    from seepage.papers.table import markdown_lines

    with expected_errors():
        paper = TABLES[table]
        with progress_bar() as progress:
            order = Order(
                only=only, seeds=seeds, out=folder, keep=keep and check_file(keep, "--keep"),
                stored=read_stored(stored) if stored else None, jobs=options.default_jobs(jobs), device=device or "cpu",
                progress=progress,
            )  # fmt: skip
            lines = paper.lines(order)
    if markdown:
        out.print("\n".join(markdown_lines(lines)), markup=False, highlight=False, soft_wrap=True)
        return
    shown = Table(title=paper.title, title_justify="left", caption=paper.note, caption_justify="left")
    for heading in lines[0]:
        shown.add_column(heading, overflow="fold")
    for line in lines:
        shown.add_row(*map(escape, line.values()))
    out.print(shown)
