"""What own columns make of labels that messages gave away: noise that was added to messages is not in them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.directions.weighed_rules import held_out_folds
from seepage.errors import IncompatibleView
from seepage.learners.clustering import without_gaps
from seepage.learners.column_classifiers import Lines, Trees, told
from seepage.learners.logistic import probe
from seepage.randomness import small_seed, some_of
from seepage.shapes import Array, Labels, Mask, Matrix, Rows
from seepage.views import View
from seepage.views.own_bottoms import own_bottoms

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
TEACHING_ROWS: Final = 10_000
"""How many rows are learned from at most."""


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
    models = (Trees(small_seed(rng), TREES, LEAST_IN_LEAF), Lines(STRENGTH))
    for model in models:
        said = np.zeros_like(reading.confidences)
        for fold in range(FOLDS):
            places = some_of(np.flatnonzero(teaching & (folds != fold)), LEARNED_ROWS, rng)
            asked = folds == fold
            said[asked] = told(model, inputs[places], names[places], sure[places], inputs[asked], said.shape[1])
        yield said


def columns_and_outputs(view: View, rows: Rows) -> Matrix:
    """Return own columns and, where own bottom models are there, their outputs; no columns where there is nothing."""
    features = view.knowledge.features
    if not features.shape[1]:
        return np.zeros((len(rows), 0))
    columns = without_gaps(features[rows].astype(np.float64))
    try:
        outputs = own_bottoms(view).outputs(rows)
    except IncompatibleView:  # no model was recorded, or it has learned nothing: columns are all there is
        return columns
    return np.hstack((columns, outputs)) if np.isfinite(outputs).all() else columns


def told_by_columns(inputs: Matrix, labels: Labels, named: Mask, classes: int, rng: Generator) -> Array:
    """Learn from rows that are named already, and return the confidences of the others: rows by classes.

    >>> inputs = np.array([[0.0], [0.2], [5.0], [5.1], [4.9]])
    >>> labels, named = np.array([0, 0, 1, 1, -1]), np.arange(5) < 4
    >>> told_by_columns(inputs, labels, named, 2, np.random.default_rng(0)).argmax(axis=1)
    array([1])
    """
    places = some_of(np.flatnonzero(named), TEACHING_ROWS, rng)
    return np.asarray(probe(inputs[places], labels[places], inputs[~named], classes))
