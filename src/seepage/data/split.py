"""Set rows aside for testing."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.data.table import Table
from seepage.errors import BadSetting, BadTable
from seepage.randomness import small_seed
from seepage.shapes import Rows


@dataclass(frozen=True, eq=False)
class Split:
    """Which rows train and which test, each in ascending order."""

    train: Rows
    test: Rows


def stratified_split(table: Table, rng: Generator, test_share: float = 0.2) -> Split:
    """Draw test rows at random, from each class its share.

    >>> labels = np.repeat([0, 1], [40, 10])
    >>> table = Table("tiny", (), labels=labels, classes=("no", "yes"), ids=np.arange(50))
    >>> split = stratified_split(table, np.random.default_rng(0))
    >>> np.bincount(labels[split.train]), np.bincount(labels[split.test])
    (array([32,  8]), array([8, 2]))
    """
    from sklearn.model_selection import train_test_split

    if not 0 < test_share < 1:
        raise BadSetting(f"The test share must lie between 0 and 1, got {test_share}.")
    _refuse_rare_classes(table)
    rows = np.arange(table.rows)
    try:
        train, test = train_test_split(rows, test_size=test_share, stratify=table.labels, random_state=small_seed(rng))
    except ValueError:
        classes = len(np.unique(table.labels))
        raise BadTable(
            f"{table.name}: {table.rows} rows of {classes} classes are too few to set {test_share:.0%} of them aside "
            "for testing with a row of every class. Add rows, or set more aside."
        ) from None
    return Split(np.sort(train), np.sort(test))


def official_split(table: Table) -> Split:
    """Use the test rows that the source of the data itself sets aside."""
    if table.official_test is None:
        raise BadTable(
            f"{table.name} has no official split into training and test rows; leave out --split official "
            "for a random one."
        )
    return Split(np.flatnonzero(~table.official_test), np.flatnonzero(table.official_test))


def _refuse_rare_classes(table: Table) -> None:
    counts = np.bincount(table.labels, minlength=len(table.classes))
    for name, count in zip(table.classes, counts, strict=True):
        if count == 1:
            raise BadTable(
                f"{table.name}: class '{name}' has 1 row, but splitting needs at least 2 rows of each class. "
                "Remove the row, or merge the class with another."
            )
