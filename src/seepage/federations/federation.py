"""The seam every federation fits, and what it returns."""

from collections.abc import Mapping
from typing import ClassVar, Protocol

from numpy.random import Generator

from seepage.hooks import Hooks
from seepage.messages import Party
from seepage.partition import PartitionedTable
from seepage.shapes import Matrix, Rows
from seepage.transcript import Agreement, Recording, Transcript


class Run(Protocol):
    """A federation after training: the parties, each with its own model, and what was recorded."""

    @property
    def parties(self) -> Mapping[str, Party]:
        """All parties by name."""
        ...

    @property
    def transcript(self) -> Transcript:
        """What was recorded so far."""
        ...

    def predict(self, rows: Rows) -> Matrix:
        """Return the active party's confidences, rows by classes, before any release."""
        ...

    def release(self, rows: Rows) -> Matrix:
        """Release predictions to every party, and return them as everyone sees them."""
        ...


class Federation(Protocol):
    """How parties train and predict together. A frozen dataclass of settings."""

    name: ClassVar[str]

    def agreement(self, data: PartitionedTable) -> Agreement:
        """Return the public terms, known before the first message."""
        ...

    def train(self, data: PartitionedTable, *, hooks: Hooks, record: Recording, rng: Generator) -> Run:
        """Train once; the same data, hooks and generator give the same run."""
        ...
