"""Rows of texts on a terminal of any width: as a table where names fit into its columns, else one below the other."""

from collections.abc import Sequence
from textwrap import wrap

from rich.cells import cell_len
from rich.markup import escape
from rich.table import Table

from seepage.cli.console import out

LEAST = 40
"""Nobody reads lines that are narrower than this."""


def print_rows(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], *, names: int, right: bool = False
) -> None:
    """Print rows below their headings; no name is ever broken.

    Parameters
    ----------
    names
        How many of the first cells say what a row is about.
    right
        Whether the other cells are numbers, set flush right, and told in one go where columns do not fit; otherwise
        each has a line of its own there, but for the last, which stands beside the names.
    """
    widths = column_widths(headings, rows, out.width)
    if widths is None:
        say(title)
        for row in rows:
            _print_below(headings, row, names, at_once=right)
        return
    table = Table(title=escape(title), title_justify="left")
    for place, (heading, width) in enumerate(zip(headings, widths, strict=True)):
        table.add_column(heading, justify="right" if right and place >= names else "left", width=width)
    for row in rows:
        table.add_row(*map(escape, row))
    out.print(table)


def column_widths(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """Share a width among columns so that every word fits; None where it is too narrow for that.

    >>> column_widths(["who", "what"], [["lab", "gradient-direction and more"]], 40)
    [3, 27]
    >>> column_widths(["who", "what"], [["lab", "gradient-direction and more"]], 30)
    [3, 20]
    >>> column_widths(["who", "what"], [["lab", "gradient-direction and more"]], 26) is None
    True
    """
    columns = [[heading, *cells] for heading, *cells in zip(headings, *rows, strict=True)]
    held = [max(cell_len(word) for cell in column for word in (*cell.split(), "")) for column in columns]
    wanted = [max(cell_len(line) for cell in column for line in (*cell.splitlines(), "")) for column in columns]
    room = width - 3 * len(columns) - 1 - sum(held)  # a frame, and a space on each side
    if room < 0:
        return None
    for _ in range(min(room, sum(wanted) - sum(held))):
        neediest = max(range(len(columns)), key=lambda place: wanted[place] - held[place])
        held[neediest] += 1
    return held


def say(text: str, indent: str = "", hanging: str = "") -> None:
    """Print a sentence over as many lines as it needs, broken at spaces alone."""
    for line in wrapped(text, max(out.width, LEAST), indent, hanging):
        out.print(line, markup=False, soft_wrap=True)


def wrapped(text: str, width: int, indent: str = "", hanging: str = "") -> list[str]:
    """Break a text at spaces; a word that is longer than a line is left whole.

    >>> wrapped("lab learns labels by gradient-direction", 20, hanging="  ")
    ['lab learns labels by', '  gradient-direction']
    """
    return wrap(
        text, width, initial_indent=indent, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )


def _print_below(headings: Sequence[str], row: Sequence[str], names: int, *, at_once: bool) -> None:
    title = ", ".join(" ".join(cell.split()) for cell in row[:names])
    told = [f"{heading}: {_on_one_line(cell)}" for heading, cell in zip(headings, row, strict=True)][names:]
    if at_once:
        title, told = f"{title}:", ["; ".join(told)]
    else:
        title, told = f"{title} ({_on_one_line(row[-1])}):", told[:-1]
    say(title, hanging="    ")
    for text in told:
        say(text, "  ", "    ")


def _on_one_line(cell: str) -> str:
    """Join what stands below each other; what is in brackets belongs to what it follows."""
    return ", ".join(cell.splitlines()).replace(", (", " (")
