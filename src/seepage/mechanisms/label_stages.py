"""Labels noised in stages, each stage guided by a model of the noisy labels before it."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.checks import check_counts, check_positive
from seepage.mechanisms.randomized_response import randomized_response
from seepage.randomness import fresh_seed, small_seed
from seepage.shapes import Labels, Matrix, Rows

TREES: Final = 20
"""How many trees the model between two stages has."""

DEPTH: Final = 6
"""How deep they grow."""


def check_budget(epsilon: float, stages: int) -> None:
    """Refuse a budget that is none, and dealing into no parts."""
    check_positive(epsilon=epsilon)
    check_counts(stages=stages)


def staged_noise(
    features: Matrix, rows: Rows | None, stages: int, epsilon: float, rng: Generator, classes: int | None = None
) -> Callable[[Labels], Labels]:
    """Return a function that noises labels with `noised_in_stages`; without `rows`, those of all rows.

    Its chance is drawn here and now. Asked twice about the same labels it gives
    the same answers, since answers drawn anew would spend ε anew.

    >>> noise = staged_noise(np.zeros((6, 0)), None, stages=1, epsilon=0.1, rng=np.random.default_rng(0))
    >>> noise(np.array([0, 0, 0, 1, 1, 1])), noise(np.array([0, 0, 0, 1, 1, 1]))
    (array([0, 1, 0, 1, 1, 1]), array([0, 1, 0, 1, 1, 1]))
    """
    seed = fresh_seed(rng)
    noised = np.arange(len(features)) if rows is None else rows

    def noise(labels: Labels) -> Labels:
        again = np.random.default_rng(seed)
        return noised_in_stages(labels, features, noised, stages=stages, epsilon=epsilon, rng=again, classes=classes)

    return noise


def noised_in_stages(
    labels: Labels,
    features: Matrix,
    rows: Rows,
    *,
    stages: int,
    epsilon: float,
    rng: Generator,
    classes: int | None = None,
) -> Labels:
    r"""Noise the labels of some rows so that each of them keeps :math:`\varepsilon`-label differential privacy.

    LP-MST, Algorithm 3 of [1]_: the rows are dealt into parts. The first part is
    answered with a uniform prior, every other part with what a model, fitted on
    the *noisy* labels of the parts before, predicts for it. A true label is read
    once, for its own answer, and everything else is made of answers, so the
    whole is as private as one answer (parallel composition, post-processing).

    Parameters
    ----------
    labels
        The true labels of all rows.
    classes
        How many classes there are; None takes it from the largest label.
    features
        What the model may look at, all rows by columns. Without columns there is
        nothing to learn a prior from, and so one stage.
    rows
        The rows to noise. The labels of the others are returned as they are, and
        nothing is learned from them.

    References
    ----------
    .. [1] B. Ghazi et al., "Deep Learning with Label Differential Privacy",
       NeurIPS 2021.
    """
    classes = classes or int(labels.max(initial=0)) + 1
    noisy = labels.copy()
    before = rows[:0]
    for part in dealt(rows, stages if features.shape[1] else 1, rng):
        if len(before):
            prior = _learned_prior(features[before], noisy[before], features[part], classes, rng)
        else:
            prior = np.full((len(part), classes), 1 / classes)
        noisy[part] = randomized_response(labels[part], prior, epsilon, rng)
        before = np.concatenate([before, part])
    return noisy


def dealt(rows: Rows, stages: int, rng: Generator) -> list[Rows]:
    """Deal rows at random into parts of equal size, up to one row; parts without rows are left out.

    >>> [len(part) for part in dealt(np.arange(7), 2, np.random.default_rng(0))]
    [4, 3]
    """
    parts = np.array_split(rng.permutation(rows), stages)
    return [part for part in parts if len(part)]


def _learned_prior(known: Matrix, noisy: Labels, asked: Matrix, classes: int, rng: Generator) -> Matrix:
    """Return what a forest, fitted on noisy labels, gives to each class; classes it never met get 0."""
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_estimators=TREES, max_depth=DEPTH, random_state=small_seed(rng), n_jobs=1)
    forest.fit(known, noisy)
    prior = np.zeros((len(asked), classes))
    prior[:, forest.classes_] = forest.predict_proba(asked)
    return prior
