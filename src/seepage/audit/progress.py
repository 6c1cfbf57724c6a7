"""How far an audit is, for people who wait in a notebook."""

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

from seepage.audit.stages.cell import Cell
from seepage.audit.sweep import Progress


def described(cell: Cell | None) -> str:
    """Say what was done last."""
    if cell is None:
        return "training and attacking"
    return f"{cell.federation.name}, {cell.defense.name if cell.defense else 'no defense'}, seed {cell.seed}"


@contextmanager
def notebook_progress() -> Iterator[Progress]:
    """Offer a bar below the cell of a notebook; elsewhere stay quiet.

    It is a plain HTML element that IPython replaces, since Rich's own bar shows nothing where ipywidgets is missing.
    """
    from rich.console import Console

    if not Console().is_jupyter:
        yield lambda *_: None
        return
    from IPython.display import HTML, display

    handle = display(HTML(""), display_id=True)

    def show(done: int, total: int, cell: Cell | None) -> None:
        bar = f'<progress value="{done}" max="{total}"></progress>'
        handle.update(HTML(f"{bar} {done} of {total}: {escape(described(cell))}"))

    try:
        yield show
    finally:
        handle.update(HTML(""))
