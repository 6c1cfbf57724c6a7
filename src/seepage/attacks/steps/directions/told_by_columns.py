"""Labels of rows for which no message says anything."""

from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.errors import IncompatibleView
from seepage.learners.clustering import without_gaps
from seepage.learners.probe import probe
from seepage.shapes import Array, Labels, Mask, Matrix, Rows
from seepage.views import View
from seepage.views.own_bottoms import own_bottoms

LEARNED_ROWS: Final = 10_000
"""How many rows are learned from at most."""


def columns_and_outputs(view: View, rows: Rows) -> Matrix:
    """Return own columns and, where own bottom models are there, their outputs; no columns where there is nothing."""
    features = view.knowledge.features
    if not features.shape[1]:
        return np.zeros((len(rows), 0))
    columns = without_gaps(features[rows].astype(np.float64))
    try:
        return np.hstack((columns, own_bottoms(view).outputs(rows)))
    except IncompatibleView:  # no model was recorded, or it has learned nothing: columns are all there is
        return columns


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
