"""How near guessed values come to the true ones, and what that is worth."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from seepage.scores.metrics import MSE
from seepage.scores.score import Score
from seepage.shapes import Array, Matrix

HALF: Final = 0.5
GAUSSIAN_DEVIATION: Final = 0.25
MANY_COLUMNS: Final = 100
"""With more columns than this no error is given for each of them."""


def mse_per_feature(truth: Matrix, guessed: Matrix | float) -> float:
    """Return the mean squared error over rows and columns: Eq. 10 of paper 002.

    0 gives every value away. A constant ½ is never further off than 0.25.
    Missing values are nothing to infer: they are left out.

    >>> mse_per_feature(np.array([[0.0, 1.0, np.nan]]), np.array([[0.5, 0.5, 0.5]]))
    0.25
    """
    true = np.asarray(truth, dtype=np.float64)
    held = ((true - guessed) ** 2)[~np.isnan(true)]
    return float(held.mean()) if held.size else 0.0


def blind_errors(truth: Matrix) -> dict[str, float]:
    r"""Return the errors of guesses that need no message, as expected over their own chance.

    For a true value *x* a uniform guess is off by :math:`(x - ½)² + 1/12` in
    the mean, a Gaussian one :math:`N(½, ¼²)` by :math:`(x - ½)² + 1/16`, and
    the constant ½ by :math:`(x - ½)²`: it always beats both.

    >>> {name: round(error, 4) for name, error in blind_errors(np.array([[0.0], [1.0]])).items()}
    {'uniform': 0.3333, 'gaussian': 0.3125, 'half': 0.25}
    """
    half = mse_per_feature(truth, np.full((1, 1), HALF))
    return {"uniform": half + 1 / 12, "gaussian": half + GAUSSIAN_DEVIATION**2, "half": half}


def same_quarter(truth: Matrix, guessed: Matrix) -> list[float]:
    """Return, for each column, how often a guess lies in the same quarter of the rows as the truth.

    Quarters are those of the true values, so that a blind guess earns about a quarter; where many values are equal,
    or half of the rows are one, it may earn more. Missing values are left out.

    >>> same_quarter(np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([[1.1], [2.4], [3.2], [0.0]]))
    [0.75]
    """
    found = []
    for true, said in zip(truth.T, guessed.T, strict=True):
        held = ~np.isnan(true)
        cuts = np.quantile(true[held], (0.25, 0.5, 0.75)) if held.any() else np.zeros(3)
        same = np.searchsorted(cuts, true[held]) == np.searchsorted(cuts, said[held])
        found.append(float(same.mean()) if held.any() else 0.0)
    return found


def correlations(others: Matrix, truth: Matrix) -> Array:
    """Return, for each true column, the mean absolute Pearson correlation with the others: Eq. 16 and 17.

    Columns that do not vary count as uncorrelated.

    >>> correlations(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [0.0], [-1.0]]))
    array([1.])
    """

    def standardized(columns: Matrix) -> Matrix:
        centred = np.nan_to_num(columns - _means(columns))  # a gap says nothing
        length = np.linalg.norm(centred, axis=0)
        return np.asarray(centred / np.where(length > 1e-12, length, np.inf))

    if not others.shape[1]:
        return np.zeros(truth.shape[1])
    one, two = standardized(np.asarray(others, dtype=np.float64)), standardized(np.asarray(truth, dtype=np.float64))
    return np.asarray(np.abs(one.T @ two).mean(axis=0))


def score_features(
    guessed: Matrix,
    truth: Matrix,
    attributes: Sequence[str],
    *,
    without_messages: Mapping[str, Matrix] | None = None,
    own: Matrix | None = None,
    confidences: Matrix | None = None,
    notes: Mapping[str, float] | None = None,
    chosen: bool = False,
) -> Score:
    """Score guessed values, rows by columns in units of each column's range.

    Blind is the best of a uniform guess, a Gaussian one, the constant ½, and
    whatever the adversary could have guessed `without_messages`, such as 1/k
    for each of the k indicators of one attribute. Beside the
    error stand all of these, that of the column means (which need the truth),
    and for each attribute its error, its variance and its mean correlation with the adversary's
    `own` columns (Eq. 16) and the released `confidences` (Eq. 17). What the
    attack says of itself, its `notes`, is passed on.

    Parameters
    ----------
    attributes
        The attribute of every column. Indicators of one category are shown
        together: the names of its levels may be words of a single record.
    chosen
        Whether these columns were asked for: then it is told as well how often a guess lies in the right quarter.
    """
    blind = blind_errors(truth)
    words = {"uniform": "uniform guess", "gaussian": "Gaussian guess", "half": "constant ½"}
    for kind, units in (without_messages or {}).items():
        blind[kind], words[kind] = mse_per_feature(truth, units), kind
    other = {f"mse_{kind.replace(' ', '_')}": error for kind, error in blind.items()}
    means = _means(truth)
    other["mse_column_mean"] = mse_per_feature(truth, means)
    other |= notes or {}
    if len(set(attributes)) <= MANY_COLUMNS:
        places = range(len(attributes))
        other |= _each(MSE.name, attributes, [mse_per_feature(truth[:, place], guessed[:, place]) for place in places])
        other |= _each("variance", attributes, [mse_per_feature(truth[:, place], means[place]) for place in places])
        if chosen:
            other |= _each("quarter", attributes, same_quarter(truth, guessed))
        if own is not None:
            other |= _each("correlation_own", attributes, correlations(own, truth))
        if confidences is not None:
            other |= _each("correlation_prediction", attributes, correlations(confidences, truth))
    named = {words[kind]: error for kind, error in blind.items()}
    return Score.of(MSE, mse_per_feature(truth, guessed), named, other)


def _means(columns: Matrix) -> Array:
    """Return the mean of each column over what is not missing; 0 where all is."""
    held = ~np.isnan(columns)
    return np.asarray(np.where(held, columns, 0.0).sum(axis=0) / np.maximum(held.sum(axis=0), 1))


def _each(metric: str, attributes: Sequence[str], values: Iterable[float]) -> dict[str, float]:
    """Return the mean over the columns of each attribute."""
    gathered: dict[str, list[float]] = {}
    for name, value in zip(attributes, values, strict=True):
        gathered.setdefault(f"{metric}[{name}]", []).append(float(value))
    return {name: sum(held) / len(held) for name, held in gathered.items()}
