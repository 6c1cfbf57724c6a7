"""All probabilities of one answer about one label, where the library needs those of the true label alone."""

import numpy as np

from seepage.mechanisms.randomized_response import answer_probabilities, kept_classes


def response_matrix(prior, epsilon):
    """Return all probabilities for each row: rows by true class by answer."""
    kept = kept_classes(prior, epsilon)
    rows, classes = kept.shape
    return np.stack([answer_probabilities(kept, np.full(rows, truth), epsilon) for truth in range(classes)], axis=1)
