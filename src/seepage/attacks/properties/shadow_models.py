"""Compare the joint model with models that were trained on known populations."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.checks import check_counts, check_least, check_positive
from seepage.errors import IncompatibleView
from seepage.guesses import FractionGuess
from seepage.learners.clustering import without_gaps
from seepage.learners.logistic import confidences
from seepage.learners.small_network import SmallNetwork
from seepage.randomness import small_seed
from seepage.shapes import Array, Integers, Labels, Mask, Matrix
from seepage.views import Auxiliary, Kind, KnownRows, Needs, View
from seepage.views.knowledge import required_auxiliary
from seepage.views.released import released_predictions

FOLDS: Final = 5
REPLICA: Final = SmallNetwork(hidden=(64, 32, 16), passes=20)
"""A network as wide as two bottom models of paper 000 beside each other and its top model, trained as long."""
PENALTIES: Final = tuple(10.0**power for power in range(-3, 5))


@dataclass(frozen=True, kw_only=True)
class ShadowModels(Attack[FractionGuess]):
    """Tell the fraction from confidences, as shadow models of known fractions have them: SM-PIA of paper 000.

    Populations of auxiliary rows are drawn with known fractions; a model of its
    own is trained on each, and a meta-model learns how the confidences that
    such shadow models give to new rows change with the fraction. It is then
    shown the confidences that the joint model gives to the same rows (§VI-B3
    of [1]_, after [2]_). The adversary lacks the victim's columns, so that its
    shadow models read its own columns alone; they are other models than the
    joint one, and the paper finds the attack at chance (Table VII).

    Parameters
    ----------
    shadows
        How many shadow models are trained; 2 or more.
    population
        How many auxiliary rows each is trained on; rows come twice where there
        are too few of a side.
    fractions
        Two fractions, one of which is the true one: the guess is one of both.
        None tries fractions from 0 to 1 in equal steps and guesses any.
    quantiles
        By how many quantiles the confidences for a class are described.
    strength
        The inverse of the penalty of the shadow models, C of scikit-learn.
    replicate
        Whether shadow models replicate the training as the paper has it: dense networks on the columns of *everybody*,
        which the adversary is then given for auxiliary rows and for the rows that are asked about. No party of a
        federation has these; the paper says so as well.
    auxiliary
        How many auxiliary rows are known, and how well.

    Notes
    -----
    Shadow models are logistic regressions of the task's labels on own columns, or, replicating, a network with hidden
    layers of 64, 32 and 16 units for each class but the first, trained for 20 passes;
    the meta-model is a ridge regression, for two worlds a logistic one. The
    paper says nothing of either, and the authors' code does not have this attack.

    `shadow_error` is the meta-model's mean error on shadow models that it did
    not learn from, for two worlds `shadow_accuracy` the share that it gets
    right; `distance` says by how many standard deviations the joint model's
    confidences differ from those of shadow models. Where the meta-model tells
    shadow models apart well and the distance is large, it fails because the
    joint model is none of them.

    References
    ----------
    .. [1] L. Bai et al., "ProVFL: Property Inference Attacks Against Vertical
       Federated Learning", IEEE TIFS 20, 2025.
    .. [2] W. Zhang, S. Tople and O. Ohrimenko, "Leakage of Dataset Properties
       in Multi-Party Machine Learning", USENIX Security 2021.
    """

    name = "shadow-models"
    steals = "properties"
    role = "baseline"
    rows = "train"

    shadows: int = 100
    population: int = 1000
    fractions: tuple[float, float] | None = None
    quantiles: int = 50
    strength: float = 1.0
    replicate: bool = False
    auxiliary: Auxiliary = Auxiliary()

    def __post_init__(self) -> None:
        check_least(2, shadows=self.shadows)
        check_counts(population=self.population, quantiles=self.quantiles)
        check_positive(strength=self.strength)
        if self.fractions is not None:
            one, other = self.fractions
            if not (0 <= one <= 1 and 0 <= other <= 1 and one != other):
                raise ValueError(f"fractions must be two different ones between 0 and 1, got {one} and {other}")

    @property
    def needs(self) -> Needs:
        """Predictions for new rows, the labels of the task, and auxiliary rows."""
        received = frozenset({Kind.PREDICTION})
        return Needs(received=received, labels=True, auxiliary=self.auxiliary, complete=self.replicate)

    def run(self, view: View, rng: Generator) -> FractionGuess:
        """Train shadow models, and read the joint model's fraction off their likes."""
        known = required_auxiliary(view.knowledge)
        predictions = released_predictions(view)
        fractions = self._fractions()
        vectors = self._vectors(view, known, predictions.rows, fractions, rng)
        joint = confidence_vector(predictions.confidences, self.quantiles)
        told = tell(vectors, fractions, joint, rng, worlds=self.fractions is not None)
        notes = {"distance": told.distance}
        if told.quality is not None:
            notes["shadow_error" if self.fractions is None else "shadow_accuracy"] = told.quality
        return FractionGuess(told.fraction, notes=notes)

    def _fractions(self) -> Array:
        """Return the fraction of every population: of two worlds by turns, or in equal steps from 0 to 1."""
        if self.fractions is None:
            return np.linspace(0, 1, self.shadows)
        return np.array(self.fractions)[np.arange(self.shadows) % 2]

    def _vectors(self, view: View, known: KnownRows, asked: Array, fractions: Array, rng: Generator) -> Matrix:
        """Return what the shadow model of every fraction says of some rows."""
        read, labels = self._columns(view), view.knowledge.own[view.agreement.active].labels
        if not read.size or labels is None:
            raise IncompatibleView(
                "The adversary has no columns of its own that a shadow model could read. Choose another one."
            )
        middle, spread = read[known.source].mean(axis=0), read[known.source].std(axis=0)
        units = (read - middle) / np.where(spread > 0, spread, 1.0)
        vectors, classes = [], view.agreement.classes
        for fraction in fractions:
            rows = known.source[draw_population(known.has, fraction, self.population, rng)]
            if self.replicate:
                said = replica_confidences(units[rows], labels[rows], units[asked], classes, rng)
            else:
                said = shadow_confidences(units[rows], labels[rows], units[asked], classes, self.strength)
            vectors.append(confidence_vector(said, self.quantiles))
        return np.stack(vectors)

    def _columns(self, view: View) -> Matrix:
        """Return what shadow models read: the own columns, or those of everybody where they are known."""
        own = view.knowledge.features
        if not self.replicate:
            return without_gaps(own)
        complete = view.knowledge.complete
        if not complete:
            raise IncompatibleView("The others' columns are not known, and no stored run holds them. Run it anew.")
        return without_gaps(np.concatenate([own, *complete.values()], axis=1))


def draw_population(has: Mask, fraction: float, size: int, rng: Generator) -> Integers:
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

    return confidences(LogisticRegression(C=strength, max_iter=1000), rows, labels, asked, classes)


def replica_confidences(rows: Matrix, labels: Labels, asked: Matrix, classes: int, rng: Generator) -> Matrix:
    """Train a network for each class but the first on a population, and return their confidences about other rows.

    >>> rng = np.random.default_rng(0)
    >>> rows = rng.normal(size=(200, 2))
    >>> said = replica_confidences(rows, (rows[:, 0] > 0).astype(int), np.array([[-2.0, 0.0], [2.0, 0.0]]), 2, rng)
    >>> said.round(1)
    array([[1., 0.],
           [0., 1.]])
    """
    said = np.column_stack([REPLICA.fitted(rows, labels == place, rng)(asked) for place in range(1, classes)])
    return np.column_stack([np.clip(1 - said.sum(axis=1), 0.0, 1.0), said])


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
