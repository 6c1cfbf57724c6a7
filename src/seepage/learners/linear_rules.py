"""Classes told apart by straight lines, learned from known rows and from all others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.learners.logistic import fitted_logistic, nearly_fitted
from seepage.randomness import small_seed
from seepage.shapes import Array, Labels, Mask, Matrix, Rows

STRENGTH: Final = 10.0
"""The inverse of the penalty on coefficients, points being about 1 long."""
RIDGE: Final = 1e-3
"""What is added to a shared covariance, as a share of its mean variance."""
MOST_COMPONENTS: Final = 64
"""How many numbers are kept of a row's columns where they are condensed."""
SETTLED: Final = 1e-3
"""Rounds end when no more than this share of the rows changes sides."""


@dataclass(frozen=True, eq=False)
class LinearRule:
    """Confidences :math:`softmax(W^T z + b)`; a class of which nothing is known has b = −∞."""

    weights: Array
    bias: Array

    def confidences(self, points: Matrix) -> Array:
        """Return the confidence in each class: rows by classes.

        >>> LinearRule(np.array([[0.0, 1.0]]), np.array([0.0, 0.0])).confidences(np.array([[0.0]]))
        array([[0.5, 0.5]])
        """
        return _softmax(points @ self.weights + self.bias)

    def widened(self, columns: int) -> "LinearRule":
        """Return the same rule for points that carry more columns at their end, which it does not read."""
        return LinearRule(np.vstack((self.weights, np.zeros((columns, len(self.bias))))), self.bias)


def _softmax(logits: Array) -> Array:
    """Return confidences along the second axis; a fifth faster than SciPy's, and the same to the last bit."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


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


def size(points: Matrix) -> float:
    """Return the usual length of points; 1 where all are 0."""
    return float(np.sqrt((points**2).sum(axis=1).mean())) or 1.0


def probed(points: Matrix, labels: Labels, classes: int, size: float) -> LinearRule:
    """Fit logistic regression to known rows; `size` is the usual length of a point.

    >>> rule = probed(np.array([[-1.0], [1.0]]), np.array([2, 0]), classes=3, size=1.0)
    >>> rule.confidences(np.array([[-2.0], [3.0]])).argmax(axis=1)
    array([2, 0])
    """
    seen = np.unique(labels)
    weights, bias = np.zeros((points.shape[1], classes)), np.full(classes, -np.inf)
    bias[seen] = 0.0
    if len(seen) == 2:
        model = fitted_logistic(points / size, labels == seen[1], STRENGTH)
        weights[:, seen[1]], bias[seen[1]] = model.weights / size, model.bias
    elif len(seen) > 2:
        from sklearn.linear_model import LogisticRegression

        found = nearly_fitted(LogisticRegression(C=STRENGTH, max_iter=300), points / size, labels)
        weights[:, seen], bias[seen] = found.coef_.T / size, found.intercept_
    return LinearRule(weights, bias)


@dataclass(frozen=True, eq=False)
class Beginning:
    """Where a mixture begins: the places of rows whose label is known, these labels, and a rule about all others."""

    known: Rows
    labels: Labels
    rule: LinearRule


def refined(points: Matrix, beginnings: Sequence[Beginning], rounds: Sequence[int]) -> list[tuple[LinearRule, ...]]:
    r"""Refine rules with the rows nobody labelled: Gaussian mixtures with one covariance for all classes.

    Expectation maximization from what each rule says; the labels of `known` places stay
    as they are. With shares π, means μ and the covariance Σ the rule is

    .. math:: \log p(c \mid z) = \mu_c^\top \Sigma^{-1} z - \tfrac{1}{2} \mu_c^\top \Sigma^{-1} \mu_c
              + \log \pi_c + \mathrm{const}.

    Returns, for each beginning, the rule after each of the numbers of `rounds`, or as it settled before. All
    of them are refined side by side, which takes little longer than one.
    """
    moments = points.T @ points / len(points)
    spreads, axes = np.linalg.eigh(moments)
    turned = np.ascontiguousarray(points @ axes)
    going = list(range(len(beginnings)))
    found: list[list[LinearRule]] = [[] for _ in beginnings]
    possible = np.stack([np.isfinite(one.rule.bias) for one in beginnings])
    claimed = np.stack([_with_known(one.rule.confidences(points).T, one) for one in beginnings])
    for number in range(1, max(rounds) + 1):
        weights, bias = _maximized_together(turned, claimed, np.maximum(spreads, 0.0), possible[going])
        said = _confidences_together(turned, weights, bias)
        for place, one in enumerate(going):
            _with_known(said[place], beginnings[one])
        moved = np.abs(said - claimed).sum(axis=(1, 2)) / len(points)
        for place, one in enumerate(going):
            if number in rounds or moved[place] < SETTLED:
                rule = LinearRule(axes @ weights[place].T, bias[place])
                found[one] += [rule] * (len(rounds) - len(found[one]) if moved[place] < SETTLED else 1)
        on = ~(moved < SETTLED)  # what has become no number goes on to the end
        going, claimed = [one for one, goes in zip(going, on, strict=True) if goes], said[on]
        if not going:
            break
    return [tuple(rules) for rules in found]


def _with_known(claimed: Array, beginning: Beginning) -> Array:
    """Put the labels that are known in their places: classes by rows."""
    claimed[:, beginning.known] = np.eye(len(claimed))[:, beginning.labels]
    return claimed


def _maximized_together(turned: Matrix, claimed: Array, spreads: Array, possible: Mask) -> tuple[Array, Array]:
    r"""Return weights and intercepts of several mixtures, in coordinates along which the moments are diagonal.

    There, with A the moments plus what is added to their diagonal, the covariance is
    :math:`A - \sum_c \pi_c \mu_c \mu_c^\top`, so that
    :math:`\Sigma^{-1} M = A^{-1} M (I - \Pi M^\top A^{-1} M)^{-1}`: as many equations as there are classes.
    """
    tasks, classes, rows = claimed.shape
    width = turned.shape[1]
    sizes = claimed.sum(axis=2)
    means = (claimed.reshape(-1, rows) @ turned).reshape(tasks, classes, width)
    means /= np.maximum(sizes, 1e-9)[:, :, None]
    shares = sizes / rows
    left = spreads.sum() - np.einsum("tc,tcd,tcd->t", shares, means, means)
    scaled = means / (spreads + (RIDGE * left / width + 1e-12)[:, None])[:, None, :]
    crossed = means @ scaled.transpose(0, 2, 1)
    weights = np.linalg.solve(np.eye(classes) - crossed * shares[:, None, :], scaled)
    chances = (sizes + 1.0) / (rows + possible.sum(axis=1, keepdims=True))
    bias = np.log(chances) - 0.5 * np.einsum("tcd,tcd->tc", means, weights)
    return weights, np.where(possible, bias, -np.inf)


def _confidences_together(turned: Matrix, weights: Array, bias: Array) -> Array:
    """Return the confidences of several rules: rules by classes by rows."""
    tasks, classes, width = weights.shape
    logits = (weights.reshape(-1, width) @ turned.T).reshape(tasks, classes, -1) + bias[:, :, None]
    return _softmax(logits)


def mixture_of(points: Matrix, claimed: Matrix) -> LinearRule:
    """Return the rule of a mixture in which every row belongs to the classes as claimed: rows by classes.

    >>> points = np.array([[0.0], [0.2], [5.0], [5.2]])
    >>> mixture_of(points, np.eye(2)[[0, 0, 1, 1]]).confidences(np.array([[1.0], [4.0]])).argmax(axis=1)
    array([0, 1])
    """
    return _maximized(points, claimed, points.T @ points / len(points), np.asarray(claimed.any(axis=0)))


def likelihood(points: Matrix, claimed: Matrix) -> float:
    """Return the mean log-likelihood of points under the mixture in which they belong to the classes as claimed.

    A constant that depends on the number of dimensions alone is left out.

    >>> points, split = np.array([[0.0], [0.2], [5.0], [5.2]]), np.eye(2)
    >>> likelihood(points, split[[0, 0, 1, 1]]) > likelihood(points, split[[0, 1, 0, 1]])
    True
    """
    moments = points.T @ points / len(points)
    rule = _maximized(points, claimed, moments, np.asarray(claimed.any(axis=0)))
    _, spread = _spread(points, claimed, moments)
    logits = points @ rule.weights + rule.bias
    highest = logits.max(axis=1)
    mixed = highest + np.log(np.exp(logits - highest[:, None]).sum(axis=1))
    return float(mixed.mean() - 0.5 * (np.trace(np.linalg.solve(spread, moments)) + np.linalg.slogdet(spread)[1]))


def _spread(points: Matrix, claimed: Matrix, moments: Matrix) -> tuple[Array, Array]:
    """Return the mean of each class, and the covariance around them."""
    count, width = points.shape
    sizes = claimed.sum(axis=0)
    means = claimed.T @ points / np.maximum(sizes, 1e-9)[:, None]
    spread = moments - (means.T * (sizes / count)) @ means
    return means, spread + (RIDGE * np.trace(spread) / width + 1e-12) * np.eye(width)


def _maximized(points: Matrix, claimed: Matrix, moments: Matrix, possible: Mask) -> LinearRule:
    means, spread = _spread(points, claimed, moments)
    weights = np.linalg.solve(spread, means.T)
    shares = (claimed.sum(axis=0) + 1.0) / (len(points) + np.count_nonzero(possible))
    bias = np.log(shares) - 0.5 * (means.T * weights).sum(axis=0)
    return LinearRule(weights, np.where(possible, bias, -np.inf))
