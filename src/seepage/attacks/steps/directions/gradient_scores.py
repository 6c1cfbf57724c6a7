"""The scores that papers compute from returned gradients: cosines and lengths."""

import numpy as np

from seepage.attacks.steps.directions.returned_gradients import directions
from seepage.learners.probe import probe
from seepage.shapes import Array, Labels, Matrix, Rows


def class_cosines(values: Matrix, known: Rows, labels: Labels, classes: int) -> Array:
    r"""Add up, over epochs, the cosine of each row's gradient to the mean direction of each class, as confidences.

    .. math:: s_{ic} = \sum_t \cos(g_{it}, \bar u_{tc})

    The softmax of these sums is returned; a class of which no row is known, or none was heard, gets 0.

    >>> values = np.array([[[1.0, 0.0]], [[0.0, 2.0]], [[0.1, 3.0]]])
    >>> class_cosines(values, np.array([0, 1]), np.array([0, 1]), 3).argmax(axis=1)
    array([0, 1, 1])
    """
    even = directions(values)
    cosines, heard = np.zeros((len(values), classes)), np.zeros(classes, dtype=bool)
    for name in np.unique(labels):
        mean = even[known[labels == name]].mean(axis=0, keepdims=True)
        heard[name] = bool(mean.any())
        cosines[:, name] = np.einsum("ntw,tw->n", even, directions(mean)[0])
    raised = np.exp(cosines - cosines.max(axis=1, keepdims=True)) * heard
    return np.asarray(raised / np.maximum(raised.sum(axis=1, keepdims=True), 1e-300))


def relative_lengths(values: Matrix) -> Array:
    """Return the logarithm of how long each row's gradients are, relative to the mean of their epoch; a line each.

    >>> relative_lengths(np.array([[[3.0, 4.0]], [[0.0, 5.0]], [[20.0, 0.0]]])).round(2).ravel()
    array([-0.69, -0.69,  0.69])
    """
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    lengths = np.linalg.norm(values / largest, axis=2)
    means = lengths.mean(axis=0)
    relative = (lengths / np.where(means > 0, means, 1.0)).mean(axis=1)
    return np.asarray(np.log(np.maximum(relative, 1e-12))[:, None])


def length_confidences(values: Matrix, known: Rows, labels: Labels, classes: int) -> Array:
    """Tell classes apart by the length of gradients alone; known rows say which class is pulled harder."""
    lengths = relative_lengths(values)
    return np.asarray(probe(lengths[known], labels, lengths, classes))
