"""Labels of rows for which no message says anything."""

from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.errors import IncompatibleView
from seepage.models.clustering import without_gaps
from seepage.models.probe import probe
from seepage.randomness import small_seed
from seepage.shapes import Array, Labels, Mask, Matrix, Rows
from seepage.views import View
from seepage.views.own_bottoms import own_bottoms

MOST_COMPONENTS: Final = 64
"""How many numbers are kept of a row's columns where they are condensed."""
LEARNED_ROWS: Final = 10_000
"""How many rows are learned from at most."""


def own_inputs(view: View, rows: Rows) -> Matrix:
    """Return own columns and, where own bottom models are there, their outputs; no columns where there is nothing."""
    features = view.knowledge.features
    if not features.shape[1]:
        return np.zeros((len(rows), 0))
    columns = without_gaps(features[rows].astype(np.float64))
    try:
        return np.hstack((columns, own_bottoms(view).outputs(rows)))
    except IncompatibleView:  # no model was recorded, or it has learned nothing: columns are all there is
        return columns


def condensed(inputs: Matrix, rng: Generator) -> Array:
    """Bring columns to variance 1, and keep the main components where there are many.

    >>> condensed(np.array([[1.0, 7.0], [3.0, 7.0]]), np.random.default_rng(0))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    from sklearn.decomposition import PCA

    spread = inputs.std(axis=0)
    even = (inputs - inputs.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if min(even.shape) <= MOST_COMPONENTS:
        return np.asarray(even)
    made = PCA(MOST_COMPONENTS, svd_solver="randomized", random_state=small_seed(rng)).fit_transform(even)
    return np.asarray(made)


def told_by_columns(inputs: Matrix, labels: Labels, named: Mask, classes: int, rng: Generator) -> Array:
    """Learn from rows that are named already, and return the confidences of the others: rows by classes.

    >>> inputs = np.array([[0.0], [0.2], [5.0], [5.1], [4.9]])
    >>> labels, named = np.array([0, 0, 1, 1, -1]), np.arange(5) < 4
    >>> told_by_columns(inputs, labels, named, 2, np.random.default_rng(0)).argmax(axis=1)
    array([1])
    """
    places = np.flatnonzero(named)
    if len(places) > LEARNED_ROWS:
        places = np.sort(rng.choice(places, LEARNED_ROWS, replace=False))
    return np.asarray(probe(inputs[places], labels[places], inputs[~named], classes))
