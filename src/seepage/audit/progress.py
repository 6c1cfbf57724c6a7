"""How far an audit is, for people who wait in a notebook."""

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

from seepage.audit.forecast import Standing
from seepage.audit.sweep import Progress


def described(standing: Standing | None) -> str:
    """Say what was done last, and how long the rest may take."""
    if standing is None or standing.job is None:
        return "training and attacking" + (f", {standing.left}" if standing is not None else "")
    training = standing.job.training
    defense = training.defense.name if training.defense is not None else "no defense"
    if training.alone:
        defense = "the label holder alone"
    return f"{training.federation.name}, {defense}, seed {standing.job.seed}; {standing.left}"


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

    def show(standing: Standing) -> None:
        bar = f'<progress value="{standing.done}" max="{standing.total}"></progress>'
        handle.update(HTML(f"{bar} {standing.done} of {standing.total}: {escape(described(standing))}"))

    try:
        yield show
    finally:
        handle.update(HTML(""))
