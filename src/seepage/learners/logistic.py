"""Logistic regression: between two classes, solved to the last digit; and on a few labelled rows of any classes."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from seepage.shapes import Array, Labels, Mask, Matrix

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MOST_STEPS: Final = 50
"""Newton's method is there after five or ten steps; more are never needed."""
MOST_HALVINGS: Final = 30
"""How often a step that leads upwards is halved."""
CONVERGED: Final = 1e-9
"""A step that promises to lower the loss by less than this share of it is the last."""
STRENGTH = 1.0
"""The inverse of the penalty on coefficients of standardized columns: scikit-learn's default."""


@dataclass(frozen=True, eq=False)
class LogisticModel:
    r"""The confidence :math:`1 / (1 + e^{-(w^\top x + b)})` in the second of two classes."""

    weights: Array
    bias: float

    def confidences(self, points: Matrix) -> Array:
        """Return the confidence in each of both classes: rows by two.

        >>> LogisticModel(np.array([1.0]), 0.0).confidences(np.array([[0.0]]))
        array([[0.5, 0.5]])
        """
        second = _sigmoid(points @ self.weights + self.bias)
        return np.column_stack((1.0 - second, second))


def fitted_logistic(points: Matrix, second: Mask, strength: float, weights: Array | None = None) -> LogisticModel:
    r"""Minimize the penalized loss by Newton's method.

    .. math:: \tfrac{1}{2} \lVert w \rVert^2 + C \sum_i s_i \log(1 + e^{-t_i (w^\top x_i + b)}), \quad t_i = \pm 1

    Where there are more columns than rows the solution lies in the span of the rows, so it is looked
    for there. General-purpose solvers take longer to check a dozen rows than to learn from them.

    Parameters
    ----------
    points, second
        Rows by columns, and which rows are of the second class; both classes have rows.
    strength
        C, the inverse of the penalty.
    weights
        How much each row counts; 1 by default.

    Examples
    --------
    >>> model = fitted_logistic(np.array([[-1.0], [1.0]]), np.array([False, True]), strength=1.0)
    >>> bool(np.isclose(model.weights[0], 2 / (1 + np.exp(model.weights[0])))), round(model.bias, 6)
    (True, 0.0)
    """
    points = np.asarray(points, dtype=np.float64)
    if len(points) < points.shape[1]:
        span, triangle = np.linalg.qr(points.T)
        inside = _newton(triangle.T, second, strength, weights)
        return LogisticModel(span @ inside[:-1], float(inside[-1]))
    found = _newton(points, second, strength, weights)
    return LogisticModel(found[:-1], float(found[-1]))


def _newton(points: Matrix, second: Mask, strength: float, weights: Array | None) -> Array:
    """Return the coefficients, the intercept last."""
    rows, columns = points.shape
    wide = np.ones((rows, columns + 1))
    wide[:, :columns] = points
    signs = np.where(second, 1.0, -1.0)
    counts = strength * (np.ones(rows) if weights is None else np.asarray(weights, dtype=np.float64))
    penalty = np.ones(columns + 1)
    penalty[-1] = 0.0
    found = np.zeros(columns + 1)
    margins = np.zeros(rows)
    loss = _loss(found, margins, counts, penalty)
    for _ in range(MOST_STEPS):
        wrong = _sigmoid(-margins)
        slope = penalty * found - wide.T @ (counts * signs * wrong)
        bend = (wide.T * (counts * wrong * (1.0 - wrong))) @ wide
        bend[np.diag_indices_from(bend)] += penalty + 1e-12
        step = -np.linalg.solve(bend, slope)
        gain = -float(slope @ step)
        if gain <= CONVERGED * max(loss, 1e-12):
            break
        found, margins, loss, moved = _descended(wide, signs, found, step, loss, counts, penalty)
        if not moved:
            break
    return found


def _descended(
    wide: Matrix, signs: Array, found: Array, step: Array, loss: float, counts: Array, penalty: Array
) -> tuple[Array, Array, float, bool]:
    """Take a step, or half of it, or half of that, until the loss is lower."""
    for halving in range(MOST_HALVINGS):
        trial = found + 0.5**halving * step
        margins = signs * (wide @ trial)
        tried = _loss(trial, margins, counts, penalty)
        if tried < loss:
            return trial, margins, tried, True
    return found, signs * (wide @ found), loss, False


def _loss(found: Array, margins: Array, counts: Array, penalty: Array) -> float:
    return float(0.5 * found @ (penalty * found) + counts @ np.logaddexp(0.0, -margins))


def _sigmoid(logits: Array) -> Array:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * logits)))


def probe(known: Matrix, labels: Labels, others: Matrix, classes: int) -> Matrix:
    """Learn from labelled rows and return the confidences of other rows, rows by classes.

    Columns are standardized by the labelled rows. A class of which no row is known gets 0.

    >>> known = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> probe(known, np.array([0, 0, 2, 2]), np.array([[0.5], [12.0]]), classes=3).argmax(axis=1)
    array([0, 2])
    """
    known, others = np.asarray(known, dtype=np.float64), np.asarray(others, dtype=np.float64)
    seen = np.unique(labels)
    if len(seen) == 2 and np.isfinite(known).all():
        return _between_two(known, labels, others, classes, seen)
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=1000))
    return confidences(model, known, labels, others, classes)


def standardized(rows: Matrix, by: Matrix) -> Matrix:
    """Bring columns to mean 0 and variance 1, as they are among some rows; what hardly varies there is only shifted.

    >>> standardized(np.array([[5.0, 8.0]]), by=np.array([[1.0, 7.0], [3.0, 7.0]]))
    array([[3., 1.]])
    """
    mean, spread = by.mean(axis=0), by.std(axis=0)
    constant = spread <= 10 * np.finfo(np.float64).eps * np.maximum(np.abs(mean), 1e-300)
    return np.asarray((rows - mean) / np.where(constant, 1.0, spread))


def _between_two(known: Matrix, labels: Labels, others: Matrix, classes: int, seen: Labels) -> Matrix:
    """Tell two classes apart without the machinery that more of them need."""
    model = fitted_logistic(standardized(known, known), labels == seen[1], STRENGTH)
    scores = np.zeros((len(others), classes))
    if len(others):
        scores[:, seen] = model.confidences(standardized(others, known))
    return scores


def nearly_fitted(model: Any, *data: Any, **weights: Any) -> Any:
    """Fit a model of scikit-learn, and say nothing where it has not quite converged: nearly is as good."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data, **weights)


def confidences(model: Any, known: Any, labels: Labels, others: Any, classes: int) -> Matrix:
    """Fit a classifier of scikit-learn to labelled rows and return the confidences of other rows, rows by classes."""
    scores = np.zeros((others.shape[0], classes))
    seen = np.unique(labels)
    if len(seen) == 1:
        scores[:, seen] = 1.0
        return scores
    nearly_fitted(model, known, labels)
    if others.shape[0]:
        scores[:, seen] = model.predict_proba(others)
    return scores


def probe_words(known: Matrix, labels: Labels, others: Matrix, classes: int) -> Matrix:
    """Learn from labelled texts which words speak for which class; return the confidences of other texts.

    Rows are word numbers, 0 where there is no word. Words are weighted by how rare
    they are among all rows (tf–idf), which needs no labels; their order is ignored.
    Words that no labelled text has cannot speak for a class and are left out.

    >>> known = np.array([[7, 3, 0], [7, 4, 4], [8, 3, 0], [8, 5, 0]])
    >>> probe_words(known, np.array([0, 0, 1, 1]), np.array([[3, 7, 0], [9, 8, 0]]), classes=2).argmax(axis=1)
    array([0, 1])
    """
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression

    words = np.unique(known[known > 0])
    if not len(words):
        words = np.array([1])  # no labelled text has a word, so that all say the same
    counts = [counted(np.asarray(rows), words) for rows in (known, others)]
    weights = TfidfTransformer(sublinear_tf=True)
    weights.fit(counted(np.concatenate((known, others)), words))
    model = LogisticRegression(C=STRENGTH, max_iter=1000)
    return confidences(model, weights.transform(counts[0]), labels, weights.transform(counts[1]), classes)


def counted(rows: Array, words: Array) -> "csr_matrix":
    """Return how often each row has each of some words, which are sorted.

    >>> counted(np.array([[7, 3, 7, 0]]), np.array([3, 5, 7])).toarray()
    array([[1., 0., 2.]])
    """
    from scipy.sparse import csr_matrix

    place = np.minimum(np.searchsorted(words, rows), len(words) - 1)
    row, column = np.nonzero(words[place] == rows)
    return csr_matrix((np.ones(len(row)), (row, place[row, column])), shape=(len(rows), len(words)))
