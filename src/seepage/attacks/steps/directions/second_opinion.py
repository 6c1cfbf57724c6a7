"""What own columns make of labels that messages gave away: noise that was added to messages is not in them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.directions.noisy_names import NoisyNames, noisy_names
from seepage.attacks.steps.directions.weighed_rules import held_out_folds
from seepage.errors import IncompatibleView
from seepage.learners.clustering import without_gaps
from seepage.learners.logistic import probe
from seepage.randomness import some_of
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
        The groups with what columns foretell of them; None where they foretell nothing.
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


def with_second_opinion(reading: Reading, again: Again, groups: Groups, own: OwnSide, rng: Generator) -> Array:
    r"""Ask own columns about every row, and weigh the answers by what can be checked.

    Messages are read twice: with known labels, as `reading` has it, and without any, as `groups`. Where labels were
    replaced before training known ones mislead, and groups, which need nothing but names, cannot be misled. To each
    reading own columns are joined, with the noise of the names undone (`NoisyNames`), and to that what the few known
    labels teach. Every answer *r* is weighed by how likely it makes known labels, of which there are as many of each
    class, however rare it is,

    .. math:: w_r \propto \prod_i \tilde r^{(-i)}(y_i), \qquad \tilde r(y) \propto r(y) / \bar r(y),

    where half of the labels are foretold by what was read, named and taught without them, and the other half the
    other way around. Groups that leave no doubt, while known labels contradict what was read, are what labels were
    replaced with, and nothing else: `TRUST` speaks for them beforehand.

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
    >>> sure, own = 0.98 * np.eye(2)[said] + 0.01, OwnSide(columns, columns[:, :0])
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
    names = noisy_names(groups.confidences, reading.heard, np.hstack((own.columns, groups.besides)), rng)
    grouped = replace(groups, names=names)
    found = np.stack(_answers(reading, grouped, own, rng))
    certain = names is not None and float(groups.confidences[reading.heard].max(axis=1).mean()) > CERTAIN
    evidence = np.log(np.where(np.arange(len(found)) == 0, TRUST if certain else 1.0, 1.0))
    for out in (halves, ~halves):
        part = Reading(again(known[~out], labels[~out]), reading.heard, known[~out], labels[~out])
        said = np.stack(_answers(part, grouped, own, rng))
        even = said[:, known[out]] / np.maximum(said.mean(axis=1, keepdims=True), RAREST)
        true = even[:, np.arange(len(labels[out])), labels[out]] / even.sum(axis=2)
        evidence = evidence + np.log((1 - MISTAKES) * true + MISTAKES / classes).sum(axis=1)
    weights = np.exp(evidence - evidence.max())
    return np.asarray(np.tensordot(weights / weights.sum(), found, axes=1))


def ordered_by_columns(reading: Reading, own: OwnSide, rng: Generator) -> Array:
    """Leave every name as it was read, and let own columns say which are surer, where two classes are told apart.

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
    if (
        confidences.shape[1] != 2
        or (names := noisy_names(confidences, reading.heard, own.columns, rng, "lines")) is None
    ):
        return confidences
    return np.asarray(KEPT * np.eye(2)[confidences.argmax(axis=1)] + (1 - KEPT) * names.joined)


def _answers(reading: Reading, groups: Groups, own: OwnSide, rng: Generator) -> list[Array]:
    """Return what groups, messages read with known labels, and own columns say: alone, and joined."""
    confidences, classes = reading.confidences, reading.confidences.shape[1]
    taught = probe(own.all[reading.known], reading.labels, own.all, classes)
    silent = np.full_like(taught, 1 / classes)  # as many answers whatever columns foretell
    read = noisy_names(confidences, reading.heard, own.columns, rng)
    by_columns, joined = (read.by_columns, read.joined) if read is not None else (silent, silent)
    grouped = named.joined if (named := groups.named_by(reading)) is not None else silent
    return [
        *(grouped, joined, confidences, by_columns, taught),
        *(_joined(one, taught) for one in (grouped, joined, confidences)),
    ]


def _joined(read: Array, taught: Array) -> Array:
    """Join two opinions about the same rows that err independently; the second thinks all classes alike often."""
    joined = np.maximum(read, 1e-9) * np.maximum(taught, 1e-9)
    return np.asarray(joined / joined.sum(axis=1, keepdims=True))


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
