"""Take a random sample of the rows of a table."""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.data.table import Table
from seepage.errors import BadTable
from seepage.randomness import stream
from seepage.shapes import Array, Labels, Rows

LEAST: Final = 2
"""So many rows of every class are kept where it has them: one to train on and one to test on."""


def sampled(table: Table, rows: int) -> Table:
    """Keep `rows` rows of a table, drawn without replacement from each class its share.

    A class that has two rows keeps at least two, so that none vanishes. Where
    the source has an official split, the sample is divided in the same
    proportion, and a class of both parts stays in both. Rows keep their order
    and their ids; columns stay, even those that do not vary in the sample.

    Notes
    -----
    The draw is keyed by the checksum of the table and by nothing else: all
    seeds of an audit, and all audits of the same data, meet the same rows. Seeds
    then differ in how rows are split, how columns are dealt and in chance, and
    their findings can be compared one by one; the interval over seeds does not
    cover that other rows might have been drawn.

    Examples
    --------
    >>> from seepage.data import Column
    >>> labels = np.repeat([0, 1], [96, 4])
    >>> table = Table("tiny", (Column("a", np.arange(100)),), labels, ("no", "yes"), np.arange(100))
    >>> few = sampled(table, 10)
    >>> few.rows, np.bincount(few.labels), bool(np.all(few["a"].values == few.ids))
    (10, array([8, 2]), True)
    """
    if rows < 1:
        raise ValueError(f"rows must be 1 or more, got {rows}")
    if rows > table.rows:
        raise BadTable(
            f"{table.name} has {table.rows:,} rows, but a sample of {rows:,} is asked for (--rows). "
            "Ask for fewer, or leave it out to take all."
        )
    if rows == table.rows:
        return table
    drawn = _drawn(table, rows, stream(0, "sample", secret=table.checksum))
    return replace(kept(table, drawn), drawn_from=table.rows)


def kept(table: Table, rows: Rows) -> Table:
    """Keep some rows of a table; columns of one type become views of one array, each of them contiguous.

    >>> from seepage.data import Column
    >>> table = Table("tiny", (Column("a", np.array([5, 6, 7])),), np.array([0, 1, 0]), ("no", "yes"), np.arange(3))
    >>> kept(table, np.array([1, 2]))["a"].values
    array([6, 7])
    """
    values = [column.values[rows] for column in table.columns]
    if len({cells.dtype for cells in values}) == 1:
        values = list(np.stack(values))
    return replace(
        table,
        columns=tuple(replace(column, values=cells) for column, cells in zip(table.columns, values, strict=True)),
        labels=table.labels[rows],
        ids=table.ids[rows],
        official_test=None if table.official_test is None else table.official_test[rows],
    )


def _drawn(table: Table, rows: int, rng: Generator) -> Rows:
    """Draw the rows that stay, in ascending order."""
    strata, least = _strata(table)
    counts = np.bincount(strata)
    if rows < least.sum():
        raise BadTable(
            f"{table.name} has {np.count_nonzero(np.bincount(table.labels))} classes, of each of which a sample keeps "
            f"{LEAST} rows where there are as many, but a sample of {rows:,} is asked for (--rows). "
            f"Ask for {least.sum():,} or more."
        )
    wanted = least + shares(counts - least, rows - int(least.sum()))
    order = rng.permutation(table.rows)
    order = order[np.argsort(strata[order], kind="stable")]
    place = np.arange(table.rows) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(order[place < np.repeat(wanted, counts)])


def _strata(table: Table) -> tuple[Labels, Array]:
    """Return the stratum of each row, its class and its part of the official split, and the least of each to keep."""
    classes = len(table.classes)
    part = np.zeros(table.rows, dtype=np.int64) if table.official_test is None else table.official_test.astype(np.int64)
    _, strata = np.unique(part * classes + table.labels, return_inverse=True)
    counts = np.bincount(strata)
    owner = np.zeros(len(counts), dtype=np.int64)
    owner[strata] = table.labels
    parts = np.bincount(owner, minlength=classes)[owner]  # in how many parts the class of a stratum occurs
    return strata, np.minimum(counts, LEAST // parts)


def shares(sizes: Array, total: int) -> Array:
    """Divide a total in proportion to sizes, in whole numbers; the largest remainders are rounded up.

    >>> shares(np.array([50, 30, 20]), 7)
    array([4, 2, 1])
    """
    if not total:
        return np.zeros_like(sizes)
    whole, remainder = np.divmod(sizes * total, sizes.sum())
    whole[np.argsort(-remainder, kind="stable")[: total - int(whole.sum())]] += 1
    return np.asarray(whole)
