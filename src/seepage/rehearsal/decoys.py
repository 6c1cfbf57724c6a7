"""Labels that stand in for true ones: permuted among people whom the label holder's own columns rank alike."""

from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.data import Encoding, Table
from seepage.data.encoding import encode
from seepage.shapes import Array, Labels

FOLDS: Final = 5


def decoyed(table: Table, block: int, rng: Generator) -> Labels:
    """Return labels that were permuted inside blocks of so many rows whom own columns rank alike.

    What a federation gives away of labels it then gives away of these, and nobody's own label crosses for certain. How
    many have each label stays as it is, and so does, roughly, what own columns tell about them. What another party's
    columns tell beyond that is lost, so that a federation's gain cannot be measured with decoys.

    Parameters
    ----------
    block
        How many rows share their labels out anew; 1 leaves every label where it is.
    """
    order = np.argsort(_risk(table, rng), kind="stable")
    labels = table.labels.copy()
    for start in range(0, len(order), block):
        rows = order[start : start + block]
        labels[rows] = table.labels[rng.permutation(rows)]
    return labels


def _risk(table: Table, rng: Generator) -> Array:
    """Rank rows by what own columns tell of them, each by a rule that has not seen its label."""
    from sklearn.linear_model import LogisticRegression

    matrix = encode(table, np.arange(table.rows), Encoding()).matrix.astype(np.float64)
    fold = rng.permutation(table.rows) % FOLDS
    risk = np.zeros(table.rows)
    for number in range(FOLDS):
        rest, asked = fold != number, fold == number
        if len(np.unique(table.labels[rest])) < 2:
            continue
        rule = LogisticRegression(max_iter=1_000).fit(matrix[rest], table.labels[rest])
        risk[asked] = rule.predict_proba(matrix[asked]) @ rule.classes_
    return risk
