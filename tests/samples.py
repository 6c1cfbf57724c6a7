"""Small federations for tests, and a mark for tests that need the prepared data."""

import csv
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seepage.audit.plan.plan import DataPlan, PartitionPlan
from seepage.audit.stages.preparation import load_table, prepare
from seepage.data import Encoding
from seepage.layouts import Plain
from seepage.partition import PartitionedTable

needs_data = pytest.mark.skipif(
    not os.environ.get("SEEPAGE_DATA"), reason="set SEEPAGE_DATA to a folder with the prepared data sets to run this"
)


def small_data(
    name: str = "breast_cancer",
    seed: int = 0,
    adversary: tuple[str, ...] = (),
    properties: tuple[str, ...] = (),
    **partition: object,
) -> PartitionedTable:
    """Load a data set and deal it."""
    plan = PartitionPlan.model_validate(partition)
    return prepare(load_table(DataPlan(name=name)), plan, adversary, Encoding(), "stratified", seed, properties).data


def two_classes(data: PartitionedTable) -> PartitionedTable:
    """Put all classes but the first together."""
    active = data.parts[data.active]
    merged = replace(active, labels=np.minimum(data.labels, 1), classes=2)
    return replace(data, parts={**data.parts, data.active: merged}, classes=("first", "another"))


def write_csv(path: Path, **columns: Iterable[object]) -> str:
    """Write a table, and return where it lies."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return str(path)


def without_active_columns(data: PartitionedTable) -> PartitionedTable:
    """Take the active party's columns away, leaving it the labels."""
    bare = replace(
        data.parts[data.active],
        columns=(),
        names=(),
        features=np.zeros((len(data.labels), 0), dtype=np.float32),
        attributes=np.zeros(0, dtype=np.int64),
        layout=Plain(),
    )
    return replace(data, parts={**data.parts, data.active: bare})
