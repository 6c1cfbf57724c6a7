"""Confidences as they may have been before they were rounded down."""

import numpy as np

from seepage.shapes import Matrix


def unrounded(confidences: Matrix) -> Matrix:
    """Share out among the classes of a row what its confidences lack to one.

    >>> unrounded(np.array([[0.6, 0.3], [0.25, 0.75]])).round(3).tolist()
    [[0.65, 0.35], [0.25, 0.75]]
    """
    return np.asarray(confidences + (1 - confidences.sum(axis=1, keepdims=True)) / confidences.shape[1])
