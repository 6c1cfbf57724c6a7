"""What an adversary could guess before the federation started."""

from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.guesses import ClusterGuess
from seepage.learners.clustering import without_gaps
from seepage.randomness import small_seed
from seepage.shapes import Rows
from seepage.views import View

MOST_ROWS: Final = 10_000
"""k-means is fitted on a sample of this size; all rows are then assigned."""


def blind_clusters(view: View, rows: Rows, rng: Generator) -> ClusterGuess | None:
    """Cluster the adversary's own columns of these rows with k-means, one cluster for each class.

    Returns None for an adversary without columns.
    """
    from sklearn.cluster import KMeans

    features = view.knowledge.features
    if features.shape[1] == 0 or len(rows) == 0:
        return None
    own = without_gaps(np.asarray(features[rows], dtype=np.float32))
    sample = own if len(own) <= MOST_ROWS else own[rng.choice(len(own), MOST_ROWS, replace=False)]
    distinct = len(np.unique(sample, axis=0))
    means = KMeans(n_clusters=min(view.agreement.classes, distinct), n_init=3, random_state=small_seed(rng))
    return ClusterGuess(rows=rows, clusters=means.fit(sample).predict(own).astype(np.int64))
