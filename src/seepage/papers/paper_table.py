"""One table of a paper: what to run, and what was printed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PaperRow:
    """One defense at one setting, with the numbers that the paper prints for it.

    Parameters
    ----------
    printed
        Model and attack accuracy as printed; empty where the paper has no such line.
    """

    label: str
    defense: str | None
    settings: Mapping[str, Any]
    printed: Mapping[str, float]


@dataclass(frozen=True)
class DatasetPlan:
    """How a table is run on one data set."""

    data: str
    federation: str
    model: Mapping[str, Any]
    partition: Mapping[str, Any]
    epochs: tuple[int, ...]


@dataclass(frozen=True)
class PaperTable:
    """A table that can be run again.

    Parameters
    ----------
    datasets
        Our data sets, and what each is trained with.
    rows
        The lines of the table.
    attack
        The attack, read once for every epoch of a data set's plan.
    """

    title: str
    note: str
    attack: str
    datasets: tuple[DatasetPlan, ...]
    rows: tuple[PaperRow, ...]
