"""Columns learned from a few rows whose values are known."""

from typing import Final

import numpy as np

from seepage.shapes import Array, Matrix

PENALTIES: Final = np.logspace(4, -6, 21)
"""The penalties that a ridge regression chooses from, inputs being of variance 1; at a tie the largest wins."""


def regressed(inputs: Matrix, units: Matrix, others: Matrix) -> tuple[Array, float]:
    """Fit a ridge regression for each column; return what it says of other rows, and its leave-one-out error.

    Inputs that do not vary on the known rows say nothing and are left out.

    Parameters
    ----------
    inputs, units
        Of the known rows: what is learned from, and the values of the columns between 0 and 1.
    others
        What is learned from, of the rows to be told.

    Examples
    --------
    >>> told, error = regressed(np.array([[0.0], [1.0], [2.0], [4.0]]), np.array([[0.1], [0.2], [0.3], [0.5]]),
    ...                         np.array([[3.0]]))
    >>> told.round(3)
    array([[0.4]])
    """
    from sklearn.linear_model import RidgeCV

    spread = inputs.std(axis=0)
    varying = spread > 1e-9
    if not varying.any():
        mean, count = units.mean(axis=0), len(units)
        lacking = count / (count - 1)  # the mean of all but one row is this much further from it
        return np.clip(np.tile(mean, (len(others), 1)), 0.0, 1.0), float((((units - mean) * lacking) ** 2).mean())
    centre, scale = inputs.mean(axis=0)[varying], spread[varying]
    ridge = RidgeCV(alphas=PENALTIES, alpha_per_target=True).fit((inputs[:, varying] - centre) / scale, units)
    said = ridge.predict((others[:, varying] - centre) / scale).reshape(len(others), units.shape[1])
    return np.clip(said, 0.0, 1.0), float(np.mean(-np.asarray(ridge.best_score_)))
