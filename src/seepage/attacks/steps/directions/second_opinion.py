"""What own columns make of labels that messages gave away: noise that was added to messages is not in them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import factorial
from typing import Final, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.directions.noisy_names import NoisyNames, noisy_names
from seepage.attacks.steps.directions.weighed_rules import held_out_folds
from seepage.errors import IncompatibleView
from seepage.learners.clustering import without_gaps
from seepage.learners.column_classifiers import Lines, Trees, told
from seepage.learners.logistic import probe
from seepage.randomness import small_seed, some_of
from seepage.shapes import Array, Labels, Mask, Matrix, Rows
from seepage.views import View
from seepage.views.own_bottoms import own_bottoms

MISTAKES: Final = 0.1
"""The share of known rows that may be odd, so that one of them does not silence an opinion that is sure of itself."""
CERTAIN: Final = 0.99
"""Groups leave no doubt where rows are this sure of theirs, in the mean."""
TRUST: Final = 20.0
"""How many times as likely another answer has to make known labels, to count as much as groups that leave no doubt."""
RAREST: Final = 1e-3
"""The share of rows that a class is expected to have at least."""
FOLDS: Final = 2
"""Of no row the own columns are asked by a classifier that was told its name."""
LEARNED_ROWS: Final = 6000
"""How many rows each classifier learns from at most."""
TREES: Final = 20
LEAST_IN_LEAF: Final = 5
STRENGTH: Final = 0.1
"""The inverse of the penalty on coefficients of standardized columns: names are wrong for some rows."""
KEPT: Final = 0.51
"""More than half, so that no name is changed."""
TEACHING_ROWS: Final = 10_000
"""How many rows are learned from at most."""

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


@dataclass(frozen=True, eq=False)
class OwnSide:
    """What the adversary has of its own on every row.

    Parameters
    ----------
    columns
        They foretell names.
    outputs
        What the own bottom model makes of columns. They go with labels, but foretell nothing: the model was trained
        on the very names that they would foretell.
    """

    columns: Matrix
    outputs: Matrix

    @property
    def all(self) -> Matrix:
        """Columns and outputs side by side."""
        return np.hstack((self.columns, self.outputs))


@dataclass(frozen=True, eq=False)
class Groups:
    """What messages say without any known label.

    Parameters
    ----------
    confidences
        How sure it is that a row belongs to each of as many groups as there are classes; alike where it was not heard.
    in_order
        Whether the first group is the first class, and so on; otherwise known labels name groups.
    besides
        What else foretells names, like columns.
    names
        The groups with what columns foretell of them; None where that is nothing, or nobody asked.
    """

    confidences: Array
    in_order: bool
    besides: Matrix
    names: NoisyNames | None = None

    def named_by(self, reading: Reading) -> NoisyNames | None:
        """Return them named after classes."""
        if self.names is None or self.in_order:
            return self.names
        return self.names.named_by(reading.known, reading.labels)

    def foretold(self, reading: Reading, own: OwnSide, rng: Generator) -> "Groups":
        """Return them with what columns foretell of them, if there is no doubt which row belongs to which."""
        if float(self.confidences[reading.heard].max(axis=1).mean()) <= CERTAIN:
            return self
        columns = np.hstack((own.columns, self.besides))
        return replace(self, names=noisy_names(self.confidences, reading.heard, columns, rng))

    def were_replaced(self, reading: Reading) -> bool:
        """Whether groups leave no doubt, are foretold by columns, and yet contradict a known label."""
        named, heard = self.named_by(reading), reading.heard[reading.known]
        if named is None:
            return False
        return bool((named.read[reading.known[heard]].argmax(axis=1) != reading.labels[heard]).any())


def with_second_opinion(reading: Reading, again: Again, groups: Groups, own: OwnSide, rng: Generator) -> Array:
    r"""Ask own columns about every row, and weigh the answers by what can be checked.

    Classifiers on own columns learn the names :math:`d` that messages gave to other rows, and one learns the
    few known labels. Three kinds of answers compete, where :math:`p` is what messages say and :math:`o` what
    own columns say:

    .. math:: p(y), \qquad o(y), \qquad p(y) \, o(y) / \pi(y).

    The last one takes noise in messages for independent of columns: what both agree on is right. Each is weighed by
    how likely it makes known labels, :math:`w_r \propto \prod_i r^{(-i)}(y_i)`: half of the labels are foretold by
    what was read, named and taught without them, and the other half the other way around.

    Where labels were replaced before training, known ones mislead: they are true, and messages speak of others. Such a
    run gives itself away. Groups that were found without any label leave no doubt, own columns foretell them, and yet
    known labels contradict them. Then groups and own columns joined (`NoisyNames`) answer, alone and with what the few
    known labels teach, beside that alone and :math:`p`, and `TRUST` speaks for the first beforehand. Groups are named
    by all known labels, in one of :math:`K!` ways, by which their likelihood is divided. There, known labels are
    as many of each class, however rare it is, so that :math:`r(y)` is taken over the share :math:`\bar r(y)` of the
    class.

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
    >>> sure, own = 0.998 * np.eye(2)[said] + 0.001, OwnSide(columns, columns[:, :0])
    >>> reading = Reading(sure, np.ones(400, bool), np.arange(12), truth[:12])
    >>> groups = Groups(sure, in_order=False, besides=columns[:, :0])
    >>> told = with_second_opinion(reading, lambda known, labels: sure, groups, own, rng)
    >>> bool(np.mean(said == truth) < 0.75), bool(np.mean(told.argmax(axis=1) == truth) > 0.9)
    (True, True)
    """
    known, labels, classes = reading.known, reading.labels, reading.confidences.shape[1]
    halves = held_out_folds(labels) % 2 == 0
    if halves.all():  # one label of each class at most: nothing can be checked
        return reading.confidences
    groups = groups.foretold(reading, own, *rng.spawn(1))
    replaced, naming = groups.were_replaced(reading), 0.0 if groups.in_order else float(np.log(factorial(classes)))
    if replaced and not groups.in_order:  # the name of each group is all that they learn from known labels
        groups = replace(groups, names=groups.named_by(reading), in_order=True)

    def answers(part: Reading) -> Array:
        return np.stack(_by_groups(part, groups, own) if replaced else _answers(part, own.all, rng))

    evidence: Array = np.array([np.log(TRUST) - naming, -naming, 0.0, 0.0]) if replaced else np.zeros(1)
    for out in (halves, ~halves):
        part = Reading(again(known[~out], labels[~out]), reading.heard, known[~out], labels[~out])
        said = answers(part)
        if replaced:
            said = said / np.maximum(said.mean(axis=1, keepdims=True), RAREST)
            said = said / said.sum(axis=2, keepdims=True)
        right = said[:, known[out], labels[out]]
        evidence = evidence + np.log((1 - MISTAKES) * right + MISTAKES / classes).sum(axis=1)
    weights = np.exp(evidence - evidence.max())
    return np.asarray(np.tensordot(weights / weights.sum(), answers(reading), axes=1))


def _by_groups(reading: Reading, groups: Groups, own: OwnSide) -> list[Array]:
    """Return what groups and own columns say, that joined to what known labels teach, this alone, and messages."""
    named, taught = groups.named_by(reading), _taught(reading, own.all)
    assert named is not None
    return [named.joined, _joined(named.joined, taught, np.ones(taught.shape[1])), taught, reading.confidences]


def ordered_by_columns(reading: Reading, own: OwnSide, rng: Generator) -> Array:
    """Leave every name as it was read, and let own columns say too which are surer, between two classes.

    Of labels that were replaced before training a few known ones may all be left: names that leave no doubt may yet
    be wrong, rather where columns speak against them.

    >>> truth = np.arange(400) % 2
    >>> rng = np.random.default_rng(0)
    >>> columns = truth[:, None] + rng.normal(scale=0.3, size=(400, 1))
    >>> said = np.where(rng.random(400) < 0.2, 1 - truth, truth)
    >>> reading = Reading(np.eye(2)[said], np.ones(400, bool), np.arange(4), truth[:4])
    >>> told = ordered_by_columns(reading, OwnSide(columns, columns[:, :0]), rng)
    >>> bool((told.argmax(axis=1) == said).all())
    True
    >>> bool(told[said != truth].max(axis=1).mean() < told[said == truth].max(axis=1).mean())
    True
    """
    confidences = reading.confidences
    if confidences.shape[1] != 2:
        return confidences
    names = noisy_names(confidences, reading.heard, own.columns, rng, "lines")
    if names is None:
        return confidences
    order = (confidences + names.joined) / 2
    return np.asarray(KEPT * np.eye(2)[confidences.argmax(axis=1)] + (1 - KEPT) * order)


def _answers(reading: Reading, inputs: Matrix, rng: Generator) -> list[Array]:
    """Return what messages say of all rows, what each classifier on own columns says, and both joined."""
    confidences = reading.confidences
    shares = confidences[reading.heard].mean(axis=0)
    answers = [confidences]
    for said in (*_taught_by_names(reading, inputs, rng), _taught(reading, inputs)):
        answers += [said, _joined(confidences, said, shares)]
    return answers


def _taught(reading: Reading, inputs: Matrix) -> Array:
    """Return what is learned from known labels alone."""
    return probe(inputs[reading.known], reading.labels, inputs, reading.confidences.shape[1])


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


def own_side(view: View, rows: Rows) -> OwnSide:
    """Return own columns and, where own bottom models are there, their outputs; no columns where there is nothing."""
    features = view.knowledge.features
    nothing = np.zeros((len(rows), 0))
    if not features.shape[1]:
        return OwnSide(nothing, nothing)
    columns = without_gaps(features[rows].astype(np.float64))
    try:
        outputs = own_bottoms(view).outputs(rows)
    except IncompatibleView:  # no model was recorded, or it has learned nothing: columns are all there is
        return OwnSide(columns, nothing)
    return OwnSide(columns, outputs if np.isfinite(outputs).all() else nothing)


def told_by_columns(inputs: Matrix, labels: Labels, named: Mask, classes: int, rng: Generator) -> Array:
    """Learn from rows that are named already, and return the confidences of the others: rows by classes.

    >>> inputs = np.array([[0.0], [0.2], [5.0], [5.1], [4.9]])
    >>> labels, named = np.array([0, 0, 1, 1, -1]), np.arange(5) < 4
    >>> told_by_columns(inputs, labels, named, 2, np.random.default_rng(0)).argmax(axis=1)
    array([1])
    """
    places = some_of(np.flatnonzero(named), TEACHING_ROWS, rng)
    return np.asarray(probe(inputs[places], labels[places], inputs[~named], classes))
