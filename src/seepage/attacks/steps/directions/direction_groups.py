"""Rows that are pulled the same way, found without a label."""

from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.directions.direction_space import direction_space
from seepage.learners.linear_rules import Beginning, LinearRule, likelihood, mixture_of, refined
from seepage.randomness import small_seed
from seepage.shapes import Array, Labels, Matrix, Rows

STARTS: Final = 10
"""From how many starts; the most likely mixture is kept."""
ROUNDS: Final = 60
"""How many rounds a mixture is refined at most."""
LEARNED_ROWS: Final = 8000
"""How many rows are learned from; what is learned is then said of all."""
NOBODY: Final[Rows] = np.zeros(0, dtype=np.int64)


def direction_groups(values: Matrix, classes: int, rng: Generator) -> Labels:
    """Group rows by the directions of their gradients: spherical k-means, then a mixture with one covariance.

    Every row of `values` must have been heard in some epoch. For two classes
    the groups are the two signs of the first direction, or nearly so.
    """
    learned = np.arange(len(values))
    if len(values) > LEARNED_ROWS:
        learned = np.sort(rng.choice(len(values), LEARNED_ROWS, replace=False))
    space = direction_space(values[learned], 1.0, 2 * classes)
    points = space.coordinates(values[learned])
    count = min(classes, len(np.unique(_even(points).round(6), axis=0)))  # no more groups than different rows
    rules = [_from_one_start(points, count, rng) for _ in range(STARTS)]
    best = max(rules, key=lambda rule: likelihood(points, rule.confidences(points)))
    return np.asarray(best.confidences(space.coordinates(values)).argmax(axis=1), dtype=np.int64)


def _from_one_start(points: Matrix, count: int, rng: Generator) -> LinearRule:
    from sklearn.cluster import KMeans

    means = KMeans(n_clusters=count, n_init=1, random_state=small_seed(rng))
    start = mixture_of(points, np.eye(count)[means.fit_predict(_even(points))])
    ((rule,),) = refined(points, [Beginning(NOBODY, NOBODY, start)], (ROUNDS,))
    return rule


def _even(points: Matrix) -> Array:
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return np.asarray(points / np.where(lengths > 0, lengths, 1.0))
