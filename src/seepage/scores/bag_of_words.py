"""Logistic regression on the words of a few labelled texts."""

from typing import TYPE_CHECKING

import numpy as np

from seepage.learners.probe import STRENGTH, confidences
from seepage.shapes import Array, Labels, Matrix

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def probe_words(known: Matrix, labels: Labels, others: Matrix, classes: int) -> Matrix:
    """Learn from labelled texts which words speak for which class; return the confidences of other texts.

    Rows are word numbers, 0 where there is no word. Words are weighted by how rare
    they are among all rows (tf–idf), which needs no labels; their order is ignored.
    Words that no labelled text has cannot speak for a class and are left out.

    >>> known = np.array([[7, 3, 0], [7, 4, 4], [8, 3, 0], [8, 5, 0]])
    >>> probe_words(known, np.array([0, 0, 1, 1]), np.array([[3, 7, 0], [9, 8, 0]]), classes=2).argmax(axis=1)
    array([0, 1])
    """
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression

    words = np.unique(known[known > 0])
    if not len(words):
        words = np.array([1])  # no labelled text has a word, so that all say the same
    counts = [counted(np.asarray(rows), words) for rows in (known, others)]
    weights = TfidfTransformer(sublinear_tf=True)
    weights.fit(counted(np.concatenate((known, others)), words))
    model = LogisticRegression(C=STRENGTH, max_iter=1000)
    return confidences(model, weights.transform(counts[0]), labels, weights.transform(counts[1]), classes)


def counted(rows: Array, words: Array) -> "csr_matrix":
    """Return how often each row has each of some words, which are sorted.

    >>> counted(np.array([[7, 3, 7, 0]]), np.array([3, 5, 7])).toarray()
    array([[1., 0., 2.]])
    """
    from scipy.sparse import csr_matrix

    place = np.minimum(np.searchsorted(words, rows), len(words) - 1)
    row, column = np.nonzero(words[place] == rows)
    return csr_matrix((np.ones(len(row)), (row, place[row, column])), shape=(len(rows), len(words)))
