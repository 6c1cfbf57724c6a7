"""How far an audit is, for people who wait in a notebook."""

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

from seepage.audit.stages.work import Job
from seepage.audit.sweep import Progress


def described(job: Job | None) -> str:
    """Say what was done last."""
    if job is None:
        return "training and attacking"
    training = job.training
    return f"{training.federation.name}, {training.defense.name if training.defense else 'no defense'}, seed {job.seed}"


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

    def show(done: int, total: int, job: Job | None) -> None:
        bar = f'<progress value="{done}" max="{total}"></progress>'
        handle.update(HTML(f"{bar} {done} of {total}: {escape(described(job))}"))

    try:
        yield show
    finally:
        handle.update(HTML(""))
