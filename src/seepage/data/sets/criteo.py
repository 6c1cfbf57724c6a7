"""Displayed ads of Criteo, projected into a hash space."""

from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np

from seepage.data.indicators import MISSING
from seepage.data.sampling import kept
from seepage.data.sets.stored import stored
from seepage.data.table import Column, Table
from seepage.randomness import stream
from seepage.shapes import Array, Labels, Rows

WIDTH: Final = 2**13
"""Dimensions of the hash space (paper 001, section 4.1)."""

ROWS_AT_ONCE: Final = 500
"""So many rows are counted at once, so that what is counted in fits into 32 MB."""


def load_criteo_hashed(*, impute: bool = False) -> Table:
    """Load 10 000 displayed ads, 8 192 counts each; the label says which were clicked (22 % of them).

    As in [1]_ (section 4.1 and appendix C) the 39 columns of ``criteo`` and
    their 741 pairs are projected into a hash space of 2^13 dimensions: column
    ``hash_7`` counts how many of a row's 780 hashes fall into bucket 7. Missing
    values are values of their own, so `impute` changes nothing.

    Notes
    -----
    The authors' code hashes ``name=value`` with Python's ``hash``, which differs
    from process to process; here it is MurmurHash3. A CRC would not do: it is
    linear, so that the pairs ``I1=3, I2=3`` and ``I1=5, I2=5`` would share a
    hash. The hash of a pair is the exclusive or of its two hashes, as in the
    authors' code.

    The paper trains on the counts as they are. All columns have the same public
    range, from 0 to the largest count there is (5), so that
    ``scaling = "minmax"`` gives these counts in another unit. ``"standard"``
    divides each by its own deviation, and so gives the rarer buckets more weight.

    References
    ----------
    .. [1] C. Fu et al., "Label Inference Attacks Against Vertical Federated
       Learning", USENIX Security 2022.
    """
    del impute  # nothing is left missing
    ads = stored("criteo")(impute=True)
    counts = counted(hashes_of(ads.columns))
    limits = (0.0, float(counts.max()))
    columns = tuple(Column(f"hash_{bucket}", values, limits=limits) for bucket, values in enumerate(counts))
    return replace(ads, name="criteo_hashed", columns=columns, left_out=())


def load_criteo_balanced(*, impute: bool = False) -> Table:
    """Load the 4 364 ads of criteo_hashed that are left when both classes are made equally large.

    All 2 182 ads that were clicked are kept, and as many of the others, drawn
    once at random and always the same.

    Notes
    -----
    The authors' code balances the classes by keeping a row only if its label
    differs from that of the row kept before, so that labels alternate. That
    keeps about as many rows, but ties labels to the place in the table.
    """
    ads = load_criteo_hashed(impute=impute)
    return replace(kept(ads, balanced(ads.labels)), name="criteo_balanced")


def hashes_of(columns: tuple[Column, ...]) -> Array:
    """Return the bucket of every cell by the hash of ``name=value``, one row for each column.

    >>> hashes_of((Column("C1", np.array([0, -1]), levels=("68fd1e64",)), Column("I1", np.array([3.0, np.nan]))))
    array([[4653, 6386],
           [ 963,  394]], dtype=uint16)
    """
    return np.stack([_buckets(column) for column in columns])


def counted(hashes: Array, width: int = WIDTH) -> Array:
    """Count, for every row, its hashes and the exclusive ors of any two of them: one row for each bucket.

    >>> counted(np.array([[1], [3], [1]]), width=4).ravel()  # 1, 3, 1 and 1^3, 1^1, 3^1
    array([1, 2, 2, 1], dtype=uint8)
    """
    features, rows = hashes.shape
    first, second = np.array(list(combinations(range(features), 2)), dtype=np.int64).reshape(-1, 2).T
    counts = np.empty((width, rows), dtype=np.uint8)
    for start in range(0, rows, ROWS_AT_ONCE):
        own = hashes[:, start : start + ROWS_AT_ONCE].astype(np.int64)
        places = np.concatenate((own, own[first] ^ own[second]))
        several = own.shape[1]
        found = np.bincount((places * several + np.arange(several)).ravel(), minlength=width * several)
        assert found.max() <= np.iinfo(np.uint8).max
        counts[:, start : start + several] = found.reshape(width, several)
    return counts


def balanced(labels: Labels) -> Rows:
    """Keep every row of the smaller of two classes and as many of the larger, in order.

    >>> labels = np.array([0, 0, 1, 0, 0])
    >>> rows = balanced(labels)
    >>> len(rows), int(labels[rows].sum())
    (2, 1)
    """
    rng = stream(0, "balanced")
    few, many = sorted((np.flatnonzero(labels == label) for label in (0, 1)), key=len)
    return np.sort(np.concatenate((few, rng.choice(many, len(few), replace=False))))


def _buckets(column: Column) -> Array:
    """Hash every different value of a column once."""
    from sklearn.utils import murmurhash3_32

    if column.levels is not None:
        words, places = (*column.levels, MISSING), column.values
    else:
        numbers, places = np.unique(column.values, return_inverse=True)
        words = tuple(MISSING if np.isnan(number) else f"{number:.0f}" for number in numbers)
    hashes = [murmurhash3_32(f"{column.name}={word}", positive=True) % WIDTH for word in words]
    return np.array(hashes, dtype=np.uint16)[places]
