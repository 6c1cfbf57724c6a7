"""Columns learned from a few rows by a small network: what Appendix E of paper 001 does."""

import warnings
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.randomness import small_seed
from seepage.shapes import Array, Matrix

HIDDEN: Final = (20, 20)
"""Three fully connected layers with the output, as wide as the bottom models of that appendix."""
STEPS: Final = 1000
STILL: Final = 1e-9


def network_regressed(inputs: Matrix, units: Matrix, others: Matrix, rng: Generator) -> Array:
    """Learn columns by their squared error, all known rows a step; return what is said of other rows, within [0, 1].

    Inputs are brought to mean 0 and variance 1, as the known rows have it. Nothing is chosen by
    looking at anything: the paper gives no settings, and forty rows leave none to be held out.

    >>> rng = np.random.default_rng(0)
    >>> rows = rng.normal(size=(60, 2))
    >>> told = network_regressed(rows[:40], 0.5 + 0.1 * rows[:40, :1], rows[40:], rng)
    >>> bool(np.abs(told - (0.5 + 0.1 * rows[40:, :1])).mean() < 0.03)
    True
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPRegressor

    spread = inputs.std(axis=0)
    scale = np.where(spread > STILL, spread, 1.0)
    known, asked = ((rows - inputs.mean(axis=0)) / scale for rows in (inputs, others))
    network = MLPRegressor(
        hidden_layer_sizes=HIDDEN,
        max_iter=STEPS,
        batch_size=len(known),
        tol=0.0,
        n_iter_no_change=STEPS,  # nothing ends it before
        random_state=small_seed(rng),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # so many steps are enough, settled or not
        network.fit(known, units[:, 0] if units.shape[1] == 1 else units)
    return np.asarray(np.clip(network.predict(asked).reshape(len(asked), -1), 0.0, 1.0))
