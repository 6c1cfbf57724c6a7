"""Classifiers on columns, for rows that were named by something else: by messages, or by the truth itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.learners.logistic import fitted_logistic, nearly_fitted, standardized
from seepage.randomness import small_seed
from seepage.shapes import Array, Counts, Labels, Matrix, Rows

MOST_ROWS: Final = 10_000
"""How many rows are learned from at most."""
FAINT: Final = 1e-3
"""A confidence below this teaches nothing."""
CHECKED_TREES: Final = 20
"""As many tell whether trees are the better classifier; more of them answer."""


@dataclass(frozen=True)
class Trees:
    """Extremely randomized trees.

    Parameters
    ----------
    seed
        Where chance comes from.
    count
        How many trees vote.
    least_in_leaf
        How many rows a leaf holds at least.
    """

    seed: int
    count: int = 40
    least_in_leaf: int = 2

    def told(self, inputs: Matrix, names: Labels, sure: Array, others: Matrix) -> Array:
        """Return the confidences of other rows in each class that is named."""
        from seepage.learners.random_trees import voted

        _, places = np.unique(names, return_inverse=True)
        rng = np.random.default_rng(self.seed)
        return voted(inputs, places, sure, others, self.least_in_leaf, self.count, rng)


@dataclass(frozen=True)
class Lines:
    """Logistic regression on standardized columns.

    Parameters
    ----------
    strength
        The inverse of the penalty on coefficients.
    """

    strength: float = 1.0

    def told(self, inputs: Matrix, names: Labels, sure: Array, others: Matrix) -> Array:
        """Return the confidences of other rows in each class that is named."""
        inside, asked, seen = standardized(inputs, inputs), standardized(others, inputs), np.unique(names)
        if len(seen) == 2:
            return fitted_logistic(inside, names == seen[1], self.strength, sure).confidences(asked)
        from sklearn.linear_model import LogisticRegression

        model = nearly_fitted(LogisticRegression(C=self.strength, max_iter=300), inside, names, sample_weight=sure)
        return np.asarray(model.predict_proba(asked))


def told(model: Trees | Lines, inputs: Matrix, names: Labels, sure: Array, others: Matrix, classes: int) -> Array:
    """Let a classifier learn from rows that are named, and return the confidences of others: rows by classes.

    Where one class alone is named nothing can be learned: all are as likely.
    """
    said = np.zeros((len(others), classes))
    seen = np.unique(names)
    if not len(others) or len(seen) < 2:
        said[:] = 1 / classes
        return said
    said[:, seen] = model.told(inputs, names, sure, others)
    return said


def best_told(inputs: Matrix, names: Labels, others: Matrix, classes: int, rng: Generator) -> Array:
    """Tell other rows by the mean of lines and trees, or by one of them where that tells half of the names better.

    Where one class alone is named, that is what is told. Columns know nothing of the names beforehand, so that rows
    left out of learning tell honestly how well others will be told.

    Parameters
    ----------
    inputs, names
        Rows that are named; 10,000 of them are learned from at most.
    others
        Rows to be told.

    Examples
    --------
    Trees see what no line does:

    >>> rng = np.random.default_rng(0)
    >>> columns = rng.uniform(-1, 1, size=(400, 2))
    >>> names = (columns[:, 0] * columns[:, 1] > 0).astype(int)
    >>> said = best_told(columns, names, np.array([[0.5, 0.5], [0.5, -0.5]]), 2, rng)
    >>> said.argmax(axis=1)
    array([1, 0])
    >>> best_told(columns, np.ones(400, dtype=int), columns[:1], 2, rng)
    array([[0., 1.]])
    """
    if len(np.unique(names)) == 1:
        return np.asarray(np.eye(classes)[np.repeat(names[:1], len(others))])
    order = rng.permutation(len(names))[:MOST_ROWS]
    learn, check = np.sort(order[::2]), np.sort(order[1::2])
    seed, even = small_seed(rng), np.ones(len(names))
    models: tuple[Lines | Trees, ...] = (Lines(), Trees(seed))
    quick: tuple[Lines | Trees, ...] = (models[0], Trees(seed, CHECKED_TREES))
    checked = [told(one, inputs[learn], names[learn], even[learn], inputs[check], classes) for one in quick]
    chosen = _weights([one.argmax(axis=1) == names[check] for one in (*checked, np.mean(checked, axis=0))])
    some = np.sort(order)
    answers = [
        weight * told(one, inputs[some], names[some], even[some], others, classes)
        for weight, one in zip(chosen, models, strict=True)
        if weight
    ]
    return np.asarray(np.sum(answers, axis=0))


def best_taught(inputs: Matrix, taught: Matrix, times: Counts, others: Matrix, rng: Generator) -> Array:
    """Tell other rows as somebody would who gave the confidences of some: rows by classes.

    By the mean of lines and trees, or by one of them where that comes nearer to half of the confidences.

    Parameters
    ----------
    inputs, taught
        Rows and the confidences that somebody has in each class; 10,000 of them are learned from at most.
    times
        As how many rows each of these counts.
    others
        Rows to be told.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> columns = rng.uniform(-1, 1, size=(400, 2))
    >>> second = 0.9 * (columns[:, 0] > 0) + 0.05
    >>> taught, others = np.column_stack((1 - second, second)), np.array([[0.6, 0.1], [-0.6, 0.1]])
    >>> said = best_taught(columns, taught, np.ones(400, dtype=int), others, rng)
    >>> bool(said[0, 1] > 0.85) and bool(said[1, 1] < 0.15)
    True
    """
    classes = taught.shape[1]
    order = rng.permutation(len(taught))[:MOST_ROWS]
    learn, check, some = np.sort(order[::2]), np.sort(order[1::2]), np.sort(order)

    def said(model: Lines | Trees, rows: Rows, asked: Matrix) -> Array:
        counted = np.repeat(rows, times[rows])
        place, named = np.nonzero(taught[counted] > FAINT)
        return told(model, inputs[counted][place], named, taught[counted][place, named], asked, classes)

    seed, leaf = small_seed(rng), max(2, round(2 * float((taught > FAINT).sum(axis=1).mean())))
    models: tuple[Lines | Trees, ...] = (Lines(), Trees(seed, least_in_leaf=leaf))
    quick: tuple[Lines | Trees, ...] = (models[0], Trees(seed, CHECKED_TREES, leaf))
    checked = [said(one, learn, inputs[check]) for one in quick]
    near = [-((one - taught[check]) ** 2).sum(axis=1) for one in (*checked, np.mean(checked, axis=0))]
    chosen = _weights(near)
    answers = [weight * said(one, some, others) for weight, one in zip(chosen, models, strict=True) if weight]
    return np.asarray(np.sum(answers, axis=0))


def _weights(right: Sequence[Array]) -> tuple[float, float]:
    """Return how much each of two classifiers counts, from how right the first, the second and their mean are by row.

    Both count alike unless one alone is right more often than their mean, by more than a standard error.

    >>> some, others, most = (np.arange(100) < count for count in (50, 70, 90))
    >>> _weights([some, most, most]), _weights([most, some, others])
    ((0.5, 0.5), (1.0, 0.0))
    """
    *alone, both = (np.asarray(one, dtype=np.float64) for one in right)
    gains = [one - both for one in alone]
    sure = [gain.mean() - gain.std() / np.sqrt(max(1, len(gain))) for gain in gains]
    best = int(np.argmax(sure))
    if not sure[best] > 0:
        return 0.5, 0.5
    return (1.0, 0.0) if best == 0 else (0.0, 1.0)
