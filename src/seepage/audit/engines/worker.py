"""A worker process: reads assignments, answers with records. Started by `seepage.audit.engines.processes`."""

import os
import pickle
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from typing import IO

from seepage.audit.engines.engine import answered
from seepage.audit.engines.processes import BEGUN, DONE, LENGTH
from seepage.audit.stages.assignment import Assignment
from seepage.audit.stages.bench import Bench


def work(source: IO[bytes], sink: IO[bytes], threads: int) -> None:
    """Answer until nothing more is asked. What is at hand is kept from one assignment to the next."""
    bench = Bench()

    def say(line: bytes) -> None:
        sink.write(line + b"\n")
        sink.flush()

    for assignment in _assignments(source):
        say(BEGUN)
        for record in answered(assignment, bench, threads):
            say(record.model_dump_json().encode())
        say(DONE)


def _assignments(source: IO[bytes]) -> Iterator[Assignment]:
    """Read what the audit that started this process asks for."""
    while len(head := source.read(LENGTH.size)) == LENGTH.size:
        yield pickle.loads(source.read(*LENGTH.unpack(head)))  # noqa: S301 - from our parent, through our own pipe


def end_with_parent() -> None:
    """End when the audit that started this process is killed, instead of training on for nobody."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """Speak through what was standard output; what anything else prints goes to standard error."""
    import torch  # before time counts

    from seepage.audit.stages import carrying_out
    from seepage.data import ColumnLeftOut, CommasInNumbers

    del torch, carrying_out
    end_with_parent()
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for told in (ColumnLeftOut, CommasInNumbers):  # the audit has said it
        warnings.simplefilter("ignore", told)
    work(sys.stdin.buffer, sink, int(sys.argv[1]))


if __name__ == "__main__":
    main()
