"""Rows that are pulled the same way, found without a label."""

from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.directions.direction_space import direction_space
from seepage.attacks.steps.directions.second_opinion import told_by_columns
from seepage.learners.linear_rules import Beginning, LinearRule, likelihood, mixture_of, refined
from seepage.randomness import small_seed, some_of
from seepage.shapes import Array, Labels, Mask, Matrix, Rows

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
    return np.asarray(group_confidences(values, classes, rng).argmax(axis=1), dtype=np.int64)


def group_confidences(values: Matrix, classes: int, rng: Generator) -> Array:
    """Return how sure it is that rows belong to each of the groups into which directions fall: rows by groups."""
    learned = some_of(np.arange(len(values)), LEARNED_ROWS, rng)
    space = direction_space(values[learned], 1.0, 2 * classes)
    points = space.coordinates(values[learned])
    count = min(classes, len(np.unique(_even(points).round(6), axis=0)))  # no more groups than different rows
    rules = [_from_one_start(points, count, rng) for _ in range(STARTS)]
    best = max(rules, key=lambda rule: likelihood(points, rule.confidences(points)))
    said = best.confidences(space.coordinates(values))
    return np.hstack((said, np.zeros((len(said), classes - count))))


def _from_one_start(points: Matrix, count: int, rng: Generator) -> LinearRule:
    from sklearn.cluster import KMeans

    means = KMeans(n_clusters=count, n_init=1, random_state=small_seed(rng))
    start = mixture_of(points, np.eye(count)[means.fit_predict(_even(points))])
    ((rule,),) = refined(points, [Beginning(NOBODY, NOBODY, start)], (ROUNDS,))
    return rule


def _even(points: Matrix) -> Array:
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return np.asarray(points / np.where(lengths > 0, lengths, 1.0))


def named_groups(
    groups: Labels, grouped: Mask, inputs: Matrix, known: Rows, labels: Labels, classes: int, rng: Generator
) -> Array:
    """Return each row's class, as own columns go with groups and as known rows have them: rows by classes.

    A classifier on own columns says to which groups the known rows would belong.
    Groups and classes are then matched so that most of them come out right.

    Parameters
    ----------
    groups, grouped
        The group of each row, and whether it has one.
    inputs
        Own columns of all rows.
    known, labels
        Places of rows whose label is known and which have no group.

    Examples
    --------
    The last two rows are known and were never heard:

    >>> groups, grouped = np.array([0, 0, 1, 1, 0, 0]), np.array([True] * 4 + [False] * 2)
    >>> inputs = np.array([[5.0], [5.1], [0.0], [0.2], [5.2], [0.1]])
    >>> named_groups(groups, grouped, inputs, np.array([4, 5]), np.array([1, 0]), 2, np.random.default_rng(0))[:4]
    array([[0., 1.], [0., 1.], [1., 0.], [1., 0.]])
    """
    from scipy.optimize import linear_sum_assignment

    told = told_by_columns(inputs, groups, grouped, classes, rng)
    places = np.cumsum(~grouped)[known] - 1
    table = np.zeros((classes, classes))
    np.add.at(table.T, labels, told[places])
    group, name = linear_sum_assignment(-table)
    names = np.empty(classes, dtype=np.int64)
    names[group] = name
    return np.asarray(np.eye(classes)[names[groups]])
