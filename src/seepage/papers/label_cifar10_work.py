"""Further tables on CIFAR-10, line by line, by several processes side by side."""

import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seepage.errors import AuditError
from seepage.papers.kept import Kept
from seepage.papers.label_cifar10_file import append, read, say, whole
from seepage.papers.label_cifar10_further import Piece, further
from seepage.papers.label_cifar10_further_tables import further_lines
from seepage.papers.label_cifar10_line import NAMED, Line
from seepage.papers.label_cifar10_training import Setting, dealt
from seepage.papers.side_by_side import side_by_side, taken
from seepage.partition import PartitionedTable


def run_further(
    setting: Setting, tables: Sequence[str], seeds: Sequence[int], out: Path, minutes: float | None, processes: int
) -> None:
    """Measure what the file lacks of some tables, several lines at a time, and print these tables."""
    whole(out)
    seconds = None if minutes is None else 60 * minutes
    if not side_by_side(work, (setting, tuple(tables), tuple(seeds), out), processes, seconds):
        say(f"{minutes:g} minutes are over. Call again: what is done is not done again.")
    held = whole(out)
    for table in tables:
        say("\n".join(further_lines(table, held)))


def work(setting: Setting, tables: Sequence[str], seeds: Sequence[int], out: Path) -> None:
    """Do one piece of work after another that nobody else has taken and that is not done."""
    try:
        _work(setting, tables, seeds, out)
    except AuditError as error:  # the data are not here, for example
        say(str(error))


def _work(setting: Setting, tables: Sequence[str], seeds: Sequence[int], out: Path) -> None:
    kept, hands = Kept(out.with_suffix(".trained")), Hands()
    for seed in seeds:
        for piece in further(setting, tables):
            name = hashlib.sha256(repr([line.key(seed) for line in piece]).encode()).hexdigest()[:24]
            with taken(out.with_suffix(".trained") / f"{name}.taken") as mine:
                for line in _wanted(piece, seed, out) if mine else []:
                    _measure(line, hands.of(line.setting, seed), seed, out, kept)


class Hands:
    """The data as they were dealt last: pieces of work that follow each other mostly want the same."""

    def __init__(self) -> None:
        self._held: tuple[str, PartitionedTable] | None = None

    def of(self, setting: Setting, seed: int) -> PartitionedTable:
        """Deal the data of a seed, unless that is what was dealt last."""
        named = f"{setting.data} {setting.dealing} {seed}"
        if self._held is None or self._held[0] != named:
            self._held = None  # two tables at once take twice the memory
            self._held = named, dealt(setting, seed)
        return self._held[1]


def _wanted(piece: Piece, seed: int, out: Path) -> list[Line]:
    done = {tuple(line[name] for name in NAMED) for line in read(out) if "table" in line}
    return [line for line in piece if line.key(seed) not in done]


def _measure(line: Line, data: PartitionedTable, seed: int, out: Path, kept: Kept) -> None:
    """Write down what comes out; a training that diverges says so, and ends no other."""
    began, named = time.monotonic(), f"{line.table}, seed {seed}, {line.label}"
    try:
        found: dict[str, Any] = line.measured(data, seed, kept)
    except Exception as error:  # the others go on, and this one stays without numbers
        say(f"{named}: {type(error).__name__}: {error}")
        return
    append(out, {**found, "seconds": time.monotonic() - began})
    say(f"{named}: {found['value']:.4f} in training, model {found['utility']:.4f}; {time.monotonic() - began:.0f} s")
