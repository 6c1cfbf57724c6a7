"""What people see: expected errors as plain sentences, warnings likewise, a bar while they wait."""

import errno
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from typer import Exit

from seepage.cli.harmless import Harmless, harmless
from seepage.errors import AuditError

if TYPE_CHECKING:
    from seepage.audit.forecast import Standing

WIDE = 160
"""Columns of text where nobody's terminal sets a limit."""

CLOSED = frozenset({errno.EACCES, errno.EPERM, errno.ENAMETOOLONG})
"""Places of which the system does not even say whether there is a file: folders of others, names beyond reason."""
MOST_OF_A_NAME = 200

out = Harmless(width=None if sys.stdout.isatty() else WIDE)
err = Harmless(stderr=True, soft_wrap=True, highlight=False)


@contextmanager
def expected_errors() -> Iterator[None]:
    """Show what a person can mend in plain words, and end with status 2; never a traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _show_warning
        try:
            yield
        except AuditError as error:
            err.print(f"Error: {error}", markup=False)
            raise Exit(code=2) from error
        except OSError as error:
            if error.errno not in CLOSED:
                raise
            where = f"'{harmless(str(error.filename)[:MOST_OF_A_NAME])}'" if error.filename is not None else "A file"
            err.print(
                f"Error: {where} cannot be reached ({error.strerror}). Ask its owner, or choose another place.",
                markup=False,
            )
            raise Exit(code=2) from error
        except KeyboardInterrupt as error:
            err.print(
                "Stopped. What was finished is kept in --out, if there is one: the same command goes on from there."
            )
            raise Exit(code=_status(error)) from error


def _status(stopped: KeyboardInterrupt) -> int:
    """Return what a shell expects of a program that a signal stopped: 128 and the signal's number."""
    from seepage.audit.engines.stopping import Terminated

    return 128 + (signal.SIGTERM if isinstance(stopped, Terminated) else signal.SIGINT)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    err.print(f"Warning: {message}", markup=False)


@contextmanager
def progress_bar() -> Iterator[Callable[["Standing"], None]]:
    """Offer a bar on standard error where that is a terminal; elsewhere stay quiet."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    from seepage.audit.progress import described

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task(described(None), total=None)

        def show(standing: "Standing") -> None:
            progress.update(
                task, completed=standing.done, total=standing.total, description=escape(harmless(described(standing)))
            )

        yield show
