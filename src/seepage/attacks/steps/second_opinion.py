"""What own columns make of labels that messages gave away: noise that was added to messages is not in them."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.weighed_rules import held_out_folds
from seepage.models.logistic import fitted_logistic
from seepage.models.probe import probe, standardized
from seepage.randomness import small_seed
from seepage.shapes import Array, Labels, Mask, Matrix, Rows

FOLDS: Final = 2
"""Of no row the own columns are asked by a classifier that was told its name."""
LEARNED_ROWS: Final = 6000
"""How many rows each classifier learns from at most."""
TREES: Final = 20
LEAST_IN_LEAF: Final = 5
MISTAKES: Final = 0.1
"""The share of known rows that may be odd, so that one of them does not silence an opinion that is sure of itself."""
STRENGTH: Final = 0.1
"""The inverse of the penalty on coefficients of standardized columns: names are wrong for some rows."""

Again: TypeAlias = Callable[[Rows, Labels], Array]


@dataclass(frozen=True, eq=False)
class Reading:
    """What messages say of the label of every row.

    Parameters
    ----------
    confidences
        Rows by classes.
    heard
        Which rows a message speaks of.
    known, labels
        Places of rows whose label is known, and the label.
    """

    confidences: Array
    heard: Mask
    known: Rows
    labels: Labels


def with_second_opinion(reading: Reading, again: Again, inputs: Matrix, rng: Generator) -> Array:
    r"""Ask own columns about every row that was named, and weigh the answers by what can be checked.

    Classifiers on own columns learn the names :math:`d` that messages gave to other rows, and one learns the
    few known labels. Three kinds of answers compete, where :math:`p` is what messages say and :math:`o` what
    own columns say:

    .. math:: p(y), \qquad o(y), \qquad p(y) \, o(y) / \pi(y).

    The last one takes noise in messages for independent of columns: what both agree on is right.
    The second one takes the names for noisy labels, each wrong by chance (randomized response, say),
    which many rows average out. Each is weighed by how likely it makes known labels,
    :math:`w_r \propto \prod_i r^{(-i)}(y_i)`: half of the labels are foretold by what was read, named and taught
    without them, and the other half the other way around.

    Parameters
    ----------
    again
        Reads the messages anew with some of the known rows alone: places and labels to confidences.

    Examples
    --------
    Names are wrong for three rows in ten, but columns go with the true label:

    >>> rng = np.random.default_rng(0)
    >>> truth = np.arange(400) % 2
    >>> said = np.where(rng.random(400) < 0.3, 1 - truth, truth)
    >>> columns = truth[:, None] + rng.normal(scale=0.3, size=(400, 1))
    >>> sure = 0.98 * np.eye(2)[said] + 0.01
    >>> reading = Reading(sure, np.ones(400, bool), np.arange(12), truth[:12])
    >>> told = with_second_opinion(reading, lambda known, labels: sure, columns, rng).argmax(axis=1)
    >>> bool(np.mean(said == truth) < 0.75), bool(np.mean(told == truth) > 0.9)
    (True, True)
    """
    known, labels = reading.known, reading.labels
    halves = held_out_folds(labels) % 2 == 0
    if halves.all():  # one label of each class at most: nothing can be checked
        return reading.confidences
    evidence: Array = np.zeros(1)
    for out in (halves, ~halves):
        part = Reading(again(known[~out], labels[~out]), reading.heard, known[~out], labels[~out])
        said = np.stack([rule[known[out], labels[out]] for rule in _answers(part, inputs, rng)])
        evidence = evidence + np.log((1 - MISTAKES) * said + MISTAKES / part.confidences.shape[1]).sum(axis=1)
    weights = np.exp(evidence - evidence.max())
    return np.asarray(np.tensordot(weights / weights.sum(), np.stack(_answers(reading, inputs, rng)), axes=1))


def _answers(reading: Reading, inputs: Matrix, rng: Generator) -> list[Array]:
    """Return what messages say of all rows, what each classifier on own columns says, and both joined."""
    confidences = reading.confidences
    shares = confidences[reading.heard].mean(axis=0)
    answers = [confidences]
    taught = probe(inputs[reading.known], reading.labels, inputs, confidences.shape[1])
    for said in (*_taught_by_names(reading, inputs, rng), taught):
        answers += [said, _joined(confidences, said, shares)]
    return answers


def _joined(read: Array, said: Array, shares: Array) -> Array:
    """Join two opinions about the same rows that err independently."""
    joined = np.maximum(read, 1e-9) * np.maximum(said, 1e-9) / np.maximum(shares, 1e-3)
    return np.asarray(joined / joined.sum(axis=1, keepdims=True))


def _taught_by_names(reading: Reading, inputs: Matrix, rng: Generator) -> Iterator[Array]:
    """Yield what each classifier says of all rows, none of which told it its own name."""
    names = reading.confidences.argmax(axis=1)
    sure = reading.confidences.max(axis=1)
    teaching = reading.heard
    folds = rng.integers(FOLDS, size=len(names))
    for model in _models(rng):
        said = np.zeros_like(reading.confidences)
        for fold in range(FOLDS):
            places = np.flatnonzero(teaching & (folds != fold))
            if len(places) > LEARNED_ROWS:
                places = np.sort(rng.choice(places, LEARNED_ROWS, replace=False))
            asked = folds == fold
            said[asked] = _told(model, inputs[places], names[places], sure[places], inputs[asked], said.shape[1])
        yield said


def _models(rng: Generator) -> "tuple[_Trees, _Lines]":
    return _Trees(small_seed(rng)), _Lines()


@dataclass(frozen=True)
class _Trees:
    """Extremely randomized trees: those of scikit-learn's forest to the last bit, grown without its scaffolding."""

    seed: int

    def told(self, inputs: Matrix, names: Labels, sure: Array, others: Matrix) -> Array:
        """Return the confidences of other rows in each class that is named."""
        from sklearn import config_context
        from sklearn.tree import ExtraTreeClassifier

        seen, places = np.unique(names, return_inverse=True)
        rows, asked, wanted = inputs.astype(np.float32), others.astype(np.float32), places.astype(np.float64)[:, None]
        seeds = np.random.RandomState(self.seed).randint(np.iinfo(np.int32).max, size=TREES)
        said = np.zeros((len(others), len(seen)))
        with config_context(skip_parameter_validation=True, assume_finite=True):
            for seed in seeds:
                tree = ExtraTreeClassifier(min_samples_leaf=LEAST_IN_LEAF, random_state=seed)
                tree.fit(rows, wanted, sample_weight=sure, check_input=False)
                said += tree.predict_proba(asked, check_input=False)
        return said / TREES


@dataclass(frozen=True)
class _Lines:
    """Logistic regression on standardized columns."""

    def told(self, inputs: Matrix, names: Labels, sure: Array, others: Matrix) -> Array:
        """Return the confidences of other rows in each class that is named."""
        inside, asked, seen = standardized(inputs, inputs), standardized(others, inputs), np.unique(names)
        if len(seen) == 2:
            return fitted_logistic(inside, names == seen[1], STRENGTH, sure).confidences(asked)
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # nearly converged is as good
            model = LogisticRegression(C=STRENGTH, max_iter=300).fit(inside, names, sample_weight=sure)
        return np.asarray(model.predict_proba(asked))


def _told(model: _Trees | _Lines, inputs: Matrix, names: Labels, sure: Array, others: Matrix, classes: int) -> Array:
    said = np.zeros((len(others), classes))
    seen = np.unique(names)
    if not len(others) or len(seen) < 2:
        said[:] = 1 / classes
        return said
    said[:, seen] = model.told(inputs, names, sure, others)
    return said
