"""Shadow models: what a model trained on another population would say."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from seepage.randomness import small_seed
from seepage.shapes import Array, Labels, Mask, Matrix

FOLDS: Final = 5
PENALTIES: Final = tuple(10.0**power for power in range(-3, 5))


def draw_population(has: Mask, fraction: float, size: int, rng: Generator) -> NDArray[np.int64]:
    """Draw known rows, so that a fraction of them has the property; a row comes twice only where its side is too small.

    >>> has = np.array([True, True, False, False, False])
    >>> drawn = draw_population(has, 0.5, 4, np.random.default_rng(0))
    >>> has[drawn].mean(), len(np.unique(drawn))
    (np.float64(0.5), 4)
    """
    with_it = round(fraction * size)
    sides = [(np.flatnonzero(has), with_it), (np.flatnonzero(~has), size - with_it)]
    return np.concatenate([rng.choice(side, count, replace=count > len(side)) for side, count in sides])


def shadow_confidences(rows: Matrix, labels: Labels, asked: Matrix, classes: int, strength: float = 1.0) -> Matrix:
    """Fit a logistic regression to a population and return its confidences about other rows.

    Parameters
    ----------
    strength
        The inverse of the L2 penalty, C of scikit-learn.

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> shadow_confidences(rows, np.array([0, 0, 1, 1]), np.array([[0.0], [10.0]]), classes=3).round(1)
    array([[1., 0., 0.], [0., 1., 0.]])
    """
    from sklearn.linear_model import LogisticRegression

    said = np.zeros((len(asked), classes))
    present = np.unique(labels)
    if len(present) == 1:
        said[:, present] = 1.0
    else:
        said[:, present] = LogisticRegression(C=strength, max_iter=1000).fit(rows, labels).predict_proba(asked)
    return said


def confidence_vector(confidences: Matrix, quantiles: int) -> Array:
    """Describe confidences by quantiles of those for each class but the first, which follows from the others.

    >>> confidence_vector(np.array([[0.9, 0.1], [0.5, 0.5], [0.7, 0.3]]), quantiles=3)
    array([0.1, 0.3, 0.5])
    """
    spots = np.linspace(0, 1, quantiles) if quantiles > 1 else np.array([0.5])
    return np.asarray(np.quantile(confidences[:, 1:], spots, axis=0).T.ravel())


@dataclass(frozen=True, kw_only=True)
class Told:
    """What the meta-model makes of a model that it did not see trained.

    Parameters
    ----------
    fraction
        The fraction that it reads off.
    worth
        Its mean absolute error on shadow models that it did not learn from; for
        two worlds the share that it takes for the right one. None with too few.
    distance
        How many standard deviations of the shadow models' the model's vector
        lies off theirs, in the median over its entries.
    """

    fraction: float
    quality: float | None
    distance: float


def tell(vectors: Matrix, fractions: Array, asked: Array, rng: Generator, *, worlds: bool) -> Told:
    """Learn from shadow models how confidences go with the fraction, and apply it to another model."""
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    learner: Any = LogisticRegression(max_iter=1000) if worlds else RidgeCV(PENALTIES)
    meta = make_pipeline(StandardScaler(), learner)
    targets = (fractions == fractions.max()).astype(np.int64) if worlds else fractions
    found = float(meta.fit(vectors, targets).predict(asked[None])[0])
    spread = vectors.std(axis=0)
    varied = spread > 0
    off = np.abs(asked - vectors.mean(axis=0))[varied] / spread[varied]
    return Told(
        fraction=float((fractions.min(), fractions.max())[int(found)]) if worlds else min(1.0, max(0.0, found)),
        quality=_quality(meta, vectors, targets, rng, worlds=worlds),
        distance=float(np.median(off)) if varied.any() else 0.0,
    )


def _quality(meta: Any, vectors: Matrix, targets: Array, rng: Generator, *, worlds: bool) -> float | None:
    from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict

    folds = min(FOLDS, len(targets) // 2)
    if folds < 2:
        return None
    deal = (StratifiedKFold if worlds else KFold)(folds, shuffle=True, random_state=small_seed(rng))
    said = cross_val_predict(meta, vectors, targets, cv=deal)
    return float((said == targets).mean() if worlds else np.abs(np.clip(said, 0, 1) - targets).mean())
