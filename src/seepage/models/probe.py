"""Logistic regression on a few labelled rows."""

import warnings
from typing import Any

import numpy as np

from seepage.shapes import Labels, Matrix

STRENGTH = 1.0
"""The inverse of the penalty on coefficients of standardized columns: scikit-learn's default."""


def probe(known: Matrix, labels: Labels, others: Matrix, classes: int) -> Matrix:
    """Learn from labelled rows and return the confidences of other rows, rows by classes.

    Columns are standardized by the labelled rows. A class of which no row is known gets 0.

    >>> known = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> probe(known, np.array([0, 0, 2, 2]), np.array([[0.5], [12.0]]), classes=3).argmax(axis=1)
    array([0, 2])
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=1000))
    return confidences(
        model, np.asarray(known, dtype=np.float64), labels, np.asarray(others, dtype=np.float64), classes
    )


def confidences(model: Any, known: Any, labels: Labels, others: Any, classes: int) -> Matrix:
    """Fit a classifier of scikit-learn to labelled rows and return the confidences of other rows, rows by classes."""
    from sklearn.exceptions import ConvergenceWarning

    scores = np.zeros((others.shape[0], classes))
    seen = np.unique(labels)
    if len(seen) == 1:
        scores[:, seen] = 1.0
        return scores
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # nearly converged is as good
        model.fit(known, labels)
    if others.shape[0]:
        scores[:, seen] = model.predict_proba(others)
    return scores
