"""Answers that hide one label: randomized response with a prior."""

import numpy as np
from numpy.random import Generator

from seepage.checks import check_positive
from seepage.shapes import Labels, Mask, Matrix


def kept_classes(prior: Matrix, epsilon: float) -> Mask:
    r"""Say which classes an answer may name: the likeliest ones, as many as make a right answer most probable.

    With the classes of a row in order of their prior, the answer is right with
    probability

    .. math:: w_k = \frac{e^\varepsilon}{e^\varepsilon + k - 1} \sum_{j \le k} p_{(j)}

    when the *k* likeliest are kept; the *k* of the largest :math:`w_k` is
    chosen (RRWithPrior, Algorithm 2 of [1]_). Equal priors are ordered by class
    number, and of equal :math:`w_k` the one of fewest classes is taken. Labels
    play no part in it.

    Parameters
    ----------
    prior
        One distribution over the classes for each row.

    Examples
    --------
    >>> kept_classes(np.array([[0.7, 0.2, 0.1], [0.4, 0.2, 0.4]]), epsilon=1.0)
    array([[ True, False, False],
           [ True, False,  True]])

    References
    ----------
    .. [1] B. Ghazi et al., "Deep Learning with Label Differential Privacy",
       NeurIPS 2021.
    """
    _check(prior, epsilon)
    likeliest_first = np.argsort(-prior, axis=1, kind="stable")
    kept = np.arange(1, prior.shape[1] + 1)
    right = np.cumsum(np.take_along_axis(prior, likeliest_first, axis=1), axis=1) * _right_answer(kept, epsilon)
    places = np.argsort(likeliest_first, axis=1, kind="stable")  # of each class in that order
    return np.asarray(places <= np.argmax(right, axis=1)[:, None])


def answer_probabilities(kept: Mask, truth: Labels, epsilon: float) -> Matrix:
    r"""Return how probable each answer is, rows by classes, given the true class of each row.

    Of *k* classes kept (RRTop-k, Algorithm 1 of Ghazi et al.), a true class
    among them is answered with probability :math:`e^\varepsilon /
    (e^\varepsilon + k - 1)` and each other with :math:`1 / (e^\varepsilon + k -
    1)`. A true class that is not kept is answered with any of the kept ones,
    all alike. Classes that are not kept are never answered: an answer that only
    some true classes can cause would give them away.

    >>> two_of_three = np.array([[True, True, False]] * 2)
    >>> answer_probabilities(two_of_three, np.array([1, 2]), epsilon=np.log(3))
    array([[0.25, 0.75, 0.  ],
           [0.5 , 0.5 , 0.  ]])
    """
    count = kept.sum(axis=1)
    right = _right_answer(count, epsilon)
    inside = kept[np.arange(len(kept)), truth]
    other = np.where(inside, right * np.exp(-epsilon), 1 / count)
    answers = np.where(kept, other[:, None], 0.0)
    answers[inside, truth[inside]] = right[inside]
    return np.asarray(answers)


def randomized_response(labels: Labels, prior: Matrix, epsilon: float, rng: Generator) -> Labels:
    """Answer for every row once, with the probabilities of `answer_probabilities`.

    >>> likely = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> randomized_response(np.array([1, 1]), likely, epsilon=0.5, rng=np.random.default_rng(0))
    array([0, 1])
    """
    up_to = np.cumsum(answer_probabilities(kept_classes(prior, epsilon), labels, epsilon), axis=1)
    drawn = rng.random(len(labels)) * up_to[:, -1]  # the last sum may miss 1 by a rounding
    return np.asarray(np.sum(up_to <= drawn[:, None], axis=1, dtype=np.int64))


def _right_answer(kept: Labels, epsilon: float) -> Matrix:
    """Return e^ε / (e^ε + k − 1), written so that a large ε does not overflow."""
    return np.asarray(1 / (1 + (kept - 1) * np.exp(-epsilon)))


def _check(prior: Matrix, epsilon: float) -> None:
    check_positive(epsilon=epsilon)
    if prior.ndim != 2 or not np.all(prior >= 0) or not np.allclose(prior.sum(axis=1), 1):
        raise ValueError("a prior needs one row of probabilities for each label, each row adding up to 1")
