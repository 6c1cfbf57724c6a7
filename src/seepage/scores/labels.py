"""How many labels were read, and what that is worth."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from seepage.guesses import LabelGuess
from seepage.scores.metrics import ACCURACY, AUC, F1, TOP1, Metric
from seepage.scores.score import Score
from seepage.shapes import Array, Labels, Mask, Matrix, Rows

MAJORITY: Final = "majority class"
TOP: Final = 5
TOP5: Final = "top5"
"""Told where there are more classes than that."""
INFORMED: Final = "own columns with all labels"


def top1(truth: Labels, guessed: Labels) -> float:
    """Return the share of rows whose guessed label is true; −1 (an abstention) never is.

    A blind guess earns the share of the largest class, full leakage earns 1.

    >>> top1(np.array([0, 1, 1, 2]), np.array([0, 1, -1, 2]))
    0.75
    """
    return float(np.mean(truth == guessed))


def top_k(truth: Labels, scores: Matrix, k: int = 5) -> float:
    """Return the share of rows whose true label is among the k highest scores.

    Classes that tie with the true one are ranked before it, so that a constant
    guess earns nothing by ties.

    >>> top_k(np.array([2, 0]), np.array([[0.1, 0.5, 0.4], [0.0, 0.0, 1.0]]), k=2)
    0.5
    """
    true_score = np.take_along_axis(scores, truth[:, None], axis=1)
    ahead = np.count_nonzero(scores >= true_score, axis=1)
    return float(np.mean(ahead <= k))


def f1(truth: Labels, guessed: Labels, classes: int) -> float:
    """Return F1 of class 1 for two classes, and the mean over classes (macro) for more.

    A class that is never guessed scores 0.

    >>> f1(np.array([0, 1, 1, 1]), np.array([0, 1, 1, -1]), classes=2)
    0.8
    """
    wanted = range(classes) if classes > 2 else (1,)
    return float(np.mean([_f1_of(truth == label, guessed == label) for label in wanted]))


def _f1_of(true: Mask, guessed: Mask) -> float:
    """Return the harmonic mean of precision and recall of one class."""
    either = np.count_nonzero(true) + np.count_nonzero(guessed)
    return 2 * np.count_nonzero(true & guessed) / either if either else 0.0


def auc(truth: Labels, scores: Matrix) -> float:
    """Return the area under the ROC curve; for more than two classes the mean of one against the rest.

    0.5 is what a blind guess earns, 1 full leakage; ties count half. Classes
    without a row (or with all rows) are left out.

    >>> auc(np.array([0, 0, 1, 1]), np.array([[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]]))
    0.75
    """
    columns = range(scores.shape[1]) if scores.shape[1] > 2 else (1,)
    areas = [
        _area(truth == index, scores[:, index])
        for index in columns
        if 0 < np.count_nonzero(truth == index) < len(truth)
    ]
    return float(np.mean(areas)) if areas else 0.5


def _area(true: Mask, scores: Array) -> float:
    """Return how often a row of the class stands before one of the others, ties counting half.

    Sums of ranks are halves of whole numbers, so that nothing is rounded before the division.
    """
    if np.isnan(scores).any():
        raise ValueError("scores must be numbers, but some are not")
    inside = np.count_nonzero(true)
    _, places, ties = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(ties) - (ties - 1) / 2  # the mean rank of all rows that share a score
    ahead = ranks[places][true].sum() - inside * (inside + 1) / 2
    return float(ahead / (inside * (len(true) - inside)))


def best_matching(truth: Labels, clusters: Labels, classes: int) -> float:
    """Return the top-1 accuracy of clusters when the truth itself names them in the best way.

    >>> best_matching(np.array([0, 0, 1, 1]), np.array([1, 1, 1, 0]), classes=2)
    0.75
    """
    table = _counts(truth, clusters, classes)
    return float(table[_matched(table)].sum() / len(truth))


def _counts(truth: Labels, clusters: Labels, classes: int) -> NDArray[np.int64]:
    table = np.zeros((int(clusters.max(initial=0)) + 1, classes), dtype=np.int64)
    np.add.at(table, (clusters, truth), 1)
    return table


def _matched(table: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of group and class of which no group and no class is in two."""
    from scipy.optimize import linear_sum_assignment

    cluster, name = linear_sum_assignment(-table)
    return cluster, name


def named_clusters(truth: Labels, clusters: Labels, classes: int) -> Matrix:
    """Return scores of 0 and 1 for groups that the truth itself named in the best way; unnamed groups score 0.

    >>> named_clusters(np.array([0, 0, 1]), np.array([1, 1, 0]), classes=2).argmax(axis=1)
    array([0, 0, 1])
    """
    cluster, name = _matched(_counts(truth, clusters, classes))
    scores = np.zeros((int(clusters.max(initial=0)) + 1, classes))
    scores[cluster, name] = 1.0
    return np.asarray(scores[clusters])


def score_labels(
    guess: LabelGuess,
    truth: Labels,
    rows: Rows,
    classes: int,
    *,
    blind: Mapping[str, Matrix],
    informed: Sequence[Matrix] = (),
) -> Score:
    """Ask two questions about all of `rows`: how many labels are named (top-1), and how well rows are ranked (AUC).

    Rows the attack says nothing about count as abstentions: wrong for the first question, and
    in the middle for the second, whatever their label. What the attack says of itself,
    and earlier steps, come along; of a step that is silent on some rows, also what it
    reaches on the others.

    Parameters
    ----------
    blind
        The scores that need no message, by how they are made. The largest class, and ½
        for AUC, are always among the blind guesses; the best counts, for each question by itself.
    informed
        What all labels would tell, for rows of which own columns are all that anybody can
        read; by default the ceiling is 1.
    """
    guess, true = guess.about(rows), truth[rows]
    labels, ranks = guess.labels, np.where(guess.abstained[:, None], 1 / classes, guess.scores)  # silence ranks nobody
    known = {MAJORITY: float(np.bincount(true, minlength=classes).max() / len(true))}
    known |= {how: top1(true, scores.argmax(axis=1)) for how, scores in blind.items()}
    named = _question(TOP1, top1(true, labels), known, [top1(true, scores.argmax(axis=1)) for scores in informed])
    other = {**guess.notes, F1.name: f1(true, labels, classes), AUC.name: auc(true, ranks)}
    other |= {f"blind_{_short(how)}": answer for how, answer in known.items()}
    other |= {"abstained": float(np.mean(labels < 0)), **_answered("", true, labels)}
    for step, at in guess.steps.items():
        other[f"top1_{step}"] = top1(true, at)
        other |= _answered(f"_{step}", true, at) if (at < 0).any() else {}
    ranked = np.count_nonzero(guess.scores, axis=1).max(initial=0) > 1
    if classes > 5 and ranked:  # an attack that names one class and ranks no other has no five best
        other[TOP5] = top_k(true, guess.scores, TOP)
    ranking = None
    if len(np.unique(true)) > 1:
        areas = {how: auc(true, scores) for how, scores in blind.items()}
        ranking = _question(AUC, other[AUC.name], areas, [auc(true, scores) for scores in informed])
    return replace(named, other=other, ranking=ranking)


def _question(metric: Metric, value: float, blind: Mapping[str, float], informed: Sequence[float]) -> Score:
    score = Score.of(metric, value, blind)
    if not informed:
        return score
    return replace(score, ceiling=max(score.blind, *informed), ceiling_kind=INFORMED)  # all tell as much as a few


def _answered(step: str, true: Labels, labels: Labels) -> dict[str, float]:
    told = labels >= 0
    return {f"top1{step}_answered": top1(true[told], labels[told]) if told.any() else 0.0}


def _short(how: str) -> str:
    """Return the first two words of how a guess is made.

    >>> _short("own columns with the same labels"), _short("k-means on own columns, best matching")
    ('own_columns', 'k-means_on')
    """
    return "_".join(how.split()[:2])


def utility(truth: Labels, confidences: Matrix) -> tuple[str, float, dict[str, float]]:
    """Return the metric, its value, and that of all: AUC leads for two classes, accuracy for more."""
    guessed, classes = confidences.argmax(axis=1), confidences.shape[1]
    told = {
        ACCURACY.name: top1(truth, guessed),
        AUC.name: auc(truth, confidences),
        F1.name: f1(truth, guessed, classes),
    }
    if classes > TOP:
        told[TOP5] = top_k(truth, confidences, TOP)
    metric = (AUC if classes == 2 else ACCURACY).name
    return metric, told[metric], told
