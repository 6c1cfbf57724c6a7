"""Set rows aside for testing."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.data.table import Table
from seepage.errors import BadSetting, BadTable
from seepage.randomness import small_seed
from seepage.shapes import Rows

STRATIFIED: Final = "stratified"
OFFICIAL: Final = "official"
TEST_SHARE: Final = 0.2
"""The share of the rows that test where nobody says another."""


@dataclass(frozen=True, eq=False)
class Split:
    """Which rows train and which test, each in ascending order."""

    train: Rows
    test: Rows


def split_of(asked: str | float) -> str:
    """Return how rows are split as it is written down: ``stratified``, ``official``, or the share that tests.

    >>> split_of(0.5), split_of("0.50"), split_of(0.2), split_of("official")
    ('0.5', '0.5', 'stratified', 'official')
    """
    if asked in (STRATIFIED, OFFICIAL):
        return str(asked)
    try:
        share = float(asked)
    except (TypeError, ValueError):
        share = math.nan
    if isinstance(asked, bool) or not 0 < share < 1:
        raise ValueError(
            f"split must be {STRATIFIED}, {OFFICIAL}, or the share of the rows that test, such as 0.5, got {asked!r}"
        )
    return STRATIFIED if share == TEST_SHARE else f"{share:g}"


def stratified_split(table: Table, rng: Generator, test_share: float = TEST_SHARE) -> Split:
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
