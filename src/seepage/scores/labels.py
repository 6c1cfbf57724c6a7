"""How many labels were read, and what that is worth."""

import numpy as np

from seepage.guesses import ClusterGuess, LabelGuess
from seepage.scores.score import Score
from seepage.shapes import Labels, Matrix, Rows


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
    from sklearn.metrics import f1_score

    wanted = list(range(classes)) if classes > 2 else [1]
    return float(f1_score(truth, guessed, labels=wanted, average="macro", zero_division=0.0))


def auc(truth: Labels, scores: Matrix) -> float:
    """Return the area under the ROC curve; for more than two classes the mean of one against the rest.

    0.5 is what a blind guess earns, 1 full leakage; ties count half. Classes
    without a row (or with all rows) are left out.

    >>> auc(np.array([0, 0, 1, 1]), np.array([[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]]))
    0.75
    """
    from sklearn.metrics import roc_auc_score

    columns = range(scores.shape[1]) if scores.shape[1] > 2 else (1,)
    areas = [
        roc_auc_score(truth == index, scores[:, index])
        for index in columns
        if 0 < np.count_nonzero(truth == index) < len(truth)
    ]
    return float(np.mean(areas)) if areas else 0.5


def best_matching(truth: Labels, clusters: Labels, classes: int) -> float:
    """Return the top-1 accuracy of clusters when the truth itself names them in the best way.

    >>> best_matching(np.array([0, 0, 1, 1]), np.array([1, 1, 1, 0]), classes=2)
    0.75
    """
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((int(clusters.max(initial=0)) + 1, classes), dtype=np.int64)
    np.add.at(table, (clusters, truth), 1)
    cluster, name = linear_sum_assignment(-table)
    return float(table[cluster, name].sum() / len(truth))


def score_labels(guess: LabelGuess, truth: Labels, rows: Rows, classes: int, clusters: ClusterGuess | None) -> Score:
    """Score a guess made without known labels, over all of `rows`.

    Blind is the best of the majority class and k-means on the adversary's own
    columns under the best matching. Rows the attack says nothing about count as
    abstentions. What the attack says of itself, and earlier steps, come along.
    """
    scores = np.zeros((len(rows), classes))
    labels = np.full(len(rows), -1, dtype=np.int64)
    _, scored, guessed = np.intersect1d(rows, guess.rows, assume_unique=True, return_indices=True)
    scores[scored] = guess.scores[guessed]
    labels[scored] = guess.labels[guessed]
    true = truth[rows]
    blind, blind_kind = _blind(true, rows, classes, clusters)
    answered = labels >= 0
    other = {
        **guess.notes,
        "f1": f1(true, labels, classes),
        "auc": auc(true, scores),
        "abstained": float(np.mean(~answered)),
        "top1_answered": top1(true[answered], labels[answered]) if answered.any() else 0.0,
    }
    for step, at in guess.steps.items():
        other[f"top1_{step}"] = float(np.count_nonzero(true[scored] == at[guessed]) / len(rows))
    ranked = np.count_nonzero(scores, axis=1).max(initial=0) > 1
    if classes > 5 and ranked:  # an attack that names one class and ranks no other has no five best
        other["top5"] = top_k(true, scores, k=5)
    return Score(
        metric="top1",
        value=top1(true, labels),
        blind=blind,
        blind_kind=blind_kind,
        ceiling=1.0,
        ceiling_kind="full knowledge",
        other=other,
    )


def _blind(true: Labels, rows: Rows, classes: int, clusters: ClusterGuess | None) -> tuple[float, str]:
    majority = float(np.bincount(true, minlength=classes).max() / len(true))
    if clusters is None:
        return majority, "majority class"
    if not np.array_equal(clusters.rows, rows):
        raise ValueError("the blind clusters must speak about the scored rows")
    matched = best_matching(true, clusters.clusters, classes)
    if matched > majority:
        return matched, "k-means on own columns, best matching"
    return majority, "majority class"
