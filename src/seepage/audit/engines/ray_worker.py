"""A worker on a Ray cluster. It imports no Ray: an actor is an ordinary object, held by one process."""

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from seepage.audit.engines.engine import answered
from seepage.audit.stages.assignment import Assignment
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.fingerprints import Sources
from seepage.audit.stages.keys import Keys
from seepage.data import ColumnLeftOut, CommasInNumbers, Table

BEGUN: Final = "+"
"""What a worker says first of an assignment: its time counts from here, not from when it waited for a place."""
OTHER_CODE: Final = (
    "Its Ray worker has other code or other versions than this audit began with. "
    "Install the same Seepage, with the same packages, on every node."
)


class RayWorker:
    """Answers assignments one after the other, and keeps at hand what the next one may need.

    Parameters
    ----------
    threads
        How many threads it has.
    table
        What is audited; its file need not be on this machine.
    folder
        Where the audit was started: relative paths in settings mean the same here, where that folder exists.
    """

    def __init__(self, threads: int, table: Table, folder: str) -> None:
        import torch  # before time counts

        from seepage.audit.stages import carrying_out

        del torch, carrying_out
        for told in (ColumnLeftOut, CommasInNumbers):  # the audit has said it
            warnings.simplefilter("ignore", told)
        if Path(folder).is_dir():
            os.chdir(folder)
        self.threads, self.bench, self.sources = threads, Bench(held={table.checksum: table}), Sources()

    def answer(self, assignment: Assignment) -> Iterator[str]:
        """Yield that it has begun, then every record as JSON."""
        yield BEGUN
        here = Keys(assignment.data_checksum, self.sources).of(assignment.job)
        found = (
            answered(assignment, self.bench, self.threads)
            if here == assignment.keys
            else assignment.failures(frozenset(), OTHER_CODE)
        )
        for record in found:
            yield record.model_dump_json()
