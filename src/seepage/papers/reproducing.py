"""Running a paper's table and laying both sets of numbers side by side."""

from pathlib import Path

from seepage.audit.sweep import Progress
from seepage.errors import UnknownName
from seepage.papers.order import Order
from seepage.papers.paper_table import Line, PaperTable


def reproduce_table(
    table: PaperTable,
    *,
    only: str | None,
    seeds: int | None,
    out: Path | None,
    jobs: int,
    device: str,
    progress: Progress,
) -> list[Line]:
    """Run the table on its data sets and return the lines to print."""
    if only is not None and only not in table.data:
        raise UnknownName("data set of this table", only, known=table.data)
    return table.lines(Order(only=only, seeds=seeds, out=out, jobs=jobs, device=device, progress=progress))
