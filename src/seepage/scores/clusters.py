"""How well rows of one class were grouped, and what that is worth."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.guesses import ClusterGuess
from seepage.learners.clustering import without_gaps
from seepage.randomness import small_seed
from seepage.scores.labels import best_matching
from seepage.scores.metrics import V_MEASURE
from seepage.scores.score import Score
from seepage.shapes import Array, Labels, Rows
from seepage.views import View

MOST_ROWS: Final = 10_000
"""k-means is fitted on a sample of this size; all rows are then assigned."""


def v_measure(truth: Labels, clusters: Labels) -> float:
    """Return the harmonic mean of homogeneity and completeness: twice what both share, over what each has by itself.

    1 means that clusters are the classes. A single cluster earns 0, as do, on
    average, clusters that have nothing to do with the classes while they are few
    and large; many small ones earn more by chance.

    >>> v_measure(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 3])), v_measure(np.array([0, 0, 1, 1]), np.zeros(4, int))
    (1.0, 0.0)
    """
    if not len(truth):
        return 1.0
    _, classes = np.unique(truth, return_inverse=True)
    _, groups = np.unique(clusters, return_inverse=True)
    together = np.zeros((classes.max() + 1, groups.max() + 1))
    np.add.at(together, (classes, groups), 1.0)
    apart = _entropy(together.sum(axis=1)) + _entropy(together.sum(axis=0))
    return float(np.clip(2 * (apart - _entropy(together)) / apart, 0.0, 1.0)) if apart > 0 else 1.0


def _entropy(counts: Array) -> float:
    """Return the entropy of a distribution, in nats, from how often each value occurs."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def score_clusters(
    guess: ClusterGuess, truth: Labels, rows: Rows, classes: int, blind: Sequence[tuple[ClusterGuess, str]]
) -> Score:
    """Score groups of rows, over all of `rows`.

    Rows the guess says nothing about count as one more cluster. Blind is the
    best of the groupings given, each with a word on how it was made; without
    any, it is a single cluster, which earns 0. Beside V-measure there is the
    accuracy of the clusters when the truth itself names them in the best way,
    how many clusters there are, V-measure of every step on the way, and that
    of the own columns alone (the last blind grouping).
    """
    true = truth[rows]
    clusters = _over(rows, guess.rows, guess.clusters)
    other = {
        "accuracy_best_matching": best_matching(true, clusters, classes),
        "clusters": float(clusters.max(initial=-1) + 1),
    }
    for step, groups in guess.steps.items():
        other[f"v_{step}"] = v_measure(true, _over(rows, guess.rows, groups))
    worth = {kind: v_measure(true, _over(rows, made.rows, made.clusters)) for made, kind in blind}
    if blind:
        other["v_own_columns"] = worth[blind[-1][1]]
    return Score.of(V_MEASURE, v_measure(true, clusters), worth, other)


def _over(rows: Rows, guessed: Rows, clusters: Labels) -> Labels:
    """Return the cluster of every row, numbered from 0; those not spoken of share the last number."""
    found = np.full(len(rows), clusters.max(initial=-1) + 1)
    _, scored, place = np.intersect1d(rows, guessed, assume_unique=True, return_indices=True)
    found[scored] = clusters[place]
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


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
