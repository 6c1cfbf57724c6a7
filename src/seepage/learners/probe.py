"""Logistic regression on a few labelled rows."""

import warnings
from typing import Any

import numpy as np

from seepage.learners.logistic import fitted_logistic
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
    known, others = np.asarray(known, dtype=np.float64), np.asarray(others, dtype=np.float64)
    seen = np.unique(labels)
    if len(seen) == 2 and np.isfinite(known).all():
        return _between_two(known, labels, others, classes, seen)
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=1000))
    return confidences(model, known, labels, others, classes)


def standardized(rows: Matrix, by: Matrix) -> Matrix:
    """Bring columns to mean 0 and variance 1, as they are among some rows; what hardly varies there is only shifted.

    >>> standardized(np.array([[5.0, 8.0]]), by=np.array([[1.0, 7.0], [3.0, 7.0]]))
    array([[3., 1.]])
    """
    mean, spread = by.mean(axis=0), by.std(axis=0)
    constant = spread <= 10 * np.finfo(np.float64).eps * np.maximum(np.abs(mean), 1e-300)
    return np.asarray((rows - mean) / np.where(constant, 1.0, spread))


def _between_two(known: Matrix, labels: Labels, others: Matrix, classes: int, seen: Labels) -> Matrix:
    """Tell two classes apart without the machinery that more of them need."""
    model = fitted_logistic(standardized(known, known), labels == seen[1], STRENGTH)
    scores = np.zeros((len(others), classes))
    if len(others):
        scores[:, seen] = model.confidences(standardized(others, known))
    return scores


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
