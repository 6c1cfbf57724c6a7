"""Metrics against independent implementations, and what blind guesses earn."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.guesses import LabelGuess
from seepage.scores import auc, best_matching, f1, named_clusters, score_labels, top1, top_k, utility

SEEDS = st.integers(0, 2**32 - 1)


@given(seed=SEEDS, classes=st.integers(2, 8))
def test_top_k_agrees_with_scikit_learn_where_there_are_no_ties(seed, classes):
    from sklearn.metrics import top_k_accuracy_score

    rng = np.random.default_rng(seed)
    truth, scores = rng.permutation(np.arange(40) % classes), rng.normal(size=(40, classes))
    for k in range(1, classes):
        peer = top_k_accuracy_score(
            truth, scores if classes > 2 else scores[:, 1] - scores[:, 0], k=k, labels=range(classes)
        )
        assert np.isclose(top_k(truth, scores, k), peer)
    assert np.isclose(top_k(truth, scores, 1), top1(truth, scores.argmax(axis=1)))


def test_a_constant_guess_earns_nothing_by_ties():
    assert top_k(np.array([0, 1, 2]), np.zeros((3, 6)), k=5) == 0.0


@given(seed=SEEDS)
def test_auc_counts_pairs(seed):
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat([0, 1], [7, 9]))
    scores = rng.integers(4, size=16).astype(float)
    ahead = [(a > b) + 0.5 * (a == b) for a in scores[truth == 1] for b in scores[truth == 0]]
    assert np.isclose(auc(truth, np.column_stack((-scores, scores))), np.mean(ahead))


def test_auc_of_many_classes_is_the_mean_of_one_against_the_rest():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)
    truth = np.arange(60) % 4
    scores = rng.dirichlet(np.ones(4), size=60)
    assert np.isclose(auc(truth, scores), roc_auc_score(truth, scores, multi_class="ovr", average="macro"))
    assert auc(np.zeros(5, dtype=np.int64), np.ones((5, 2))) == 0.5


@given(seed=SEEDS)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(seed):
    rng = np.random.default_rng(seed)
    truth, guessed = rng.integers(2, size=30), rng.integers(-1, 2, size=30)
    hits = np.sum((truth == 1) & (guessed == 1))
    precision, recall = hits / max(1, np.sum(guessed == 1)), hits / max(1, np.sum(truth == 1))
    expected = 2 * precision * recall / (precision + recall) if hits else 0.0
    assert np.isclose(f1(truth, guessed, classes=2), expected)


@given(seed=SEEDS, classes=st.integers(2, 4))
def test_the_best_matching_is_the_best_of_all(seed, classes):
    rng = np.random.default_rng(seed)
    truth, clusters = rng.integers(classes, size=25), rng.integers(classes, size=25)
    exhaustive = max(np.mean(np.array(names)[clusters] == truth) for names in permutations(range(classes)))
    assert np.isclose(best_matching(truth, clusters, classes), exhaustive)


def test_rows_without_an_answer_count_as_wrong():
    truth = np.array([0, 1, 0, 1, 1])
    guess = LabelGuess(np.array([1, 4]), np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([False, True]))
    score = score_labels(guess, truth, np.array([0, 1, 2, 4]), classes=2, blind={})
    assert score.value == 0.25
    assert score.other["abstained"] == 0.75 and score.other["top1_answered"] == 1.0
    assert (score.blind, score.blind_kind) == (0.5, "majority class")


def test_blind_is_the_better_of_majority_and_clusters():
    truth, rows = np.array([0, 0, 0, 1, 1]), np.arange(5)
    guess = LabelGuess(rows, np.eye(2)[truth])

    def scored(clusters):
        return score_labels(guess, truth, rows, 2, blind={"k-means": named_clusters(truth, np.array(clusters), 2)})

    good, poor = scored([1, 1, 1, 0, 0]), scored([0, 1, 1, 0, 1])
    assert (good.blind, good.blind_kind, good.advantage) == (1.0, "k-means", None)
    assert (poor.blind, poor.blind_kind, poor.advantage) == (0.6, "majority class", 1.0)
    assert (good.ranking.blind, poor.ranking.blind) == (1.0, pytest.approx(7 / 12))


@given(seed=SEEDS, classes=st.integers(2, 4))
def test_named_clusters_earn_what_the_best_matching_does(seed, classes):
    rng = np.random.default_rng(seed)
    truth, clusters = rng.integers(classes, size=25), rng.integers(classes, size=25)
    scores = named_clusters(truth, clusters, classes)
    right = np.take_along_axis(scores, truth[:, None], axis=1).mean()
    assert np.isclose(right, best_matching(truth, clusters, classes))


def test_a_rare_class_is_ranked_well_by_who_names_nobody_in_it():
    """One person in ten has the label; the guess puts them first but never above one half."""
    truth = np.repeat([0, 1], [90, 10])
    guess = LabelGuess(np.arange(100), np.column_stack((1 - 0.3 * truth, 0.3 * truth)))
    score = score_labels(guess, truth, np.arange(100), 2, blind={})
    assert (score.value, score.blind, score.advantage) == (0.9, 0.9, 0.0)
    ranking = score.ranking
    assert (ranking.metric, ranking.value, ranking.blind, ranking.blind_kind) == ("auc", 1.0, 0.5, "chance")
    assert (ranking.ceiling, ranking.advantage) == (1.0, 1.0)


def test_rows_of_one_class_cannot_be_ranked():
    guess = LabelGuess(np.arange(3), np.eye(2)[[0, 1, 1]])
    assert score_labels(guess, np.ones(3, dtype=np.int64), np.arange(3), 2, blind={}).ranking is None


def test_blind_and_ceiling_are_the_best_for_each_question_by_itself():
    """One twin names more labels rightly, the other ranks better; all labels tell no less than a few."""
    truth, rows = np.array([0, 0, 0, 1, 1]), np.arange(5)
    naming = np.eye(2)[[0, 0, 1, 1, 1]]
    ranking = np.column_stack((np.ones(5), [0.1, 0.2, 0.3, 0.4, 0.5]))
    guess = LabelGuess(rows, np.eye(2)[truth])
    blind = {"own columns with the same labels": naming, "untrained bottom model": ranking}
    score = score_labels(guess, truth, rows, 2, blind=blind, informed=[ranking])
    assert (score.blind, score.blind_kind) == (0.8, "own columns with the same labels")
    assert (score.ranking.blind, score.ranking.blind_kind) == (1.0, "untrained bottom model")
    assert (score.ceiling, score.ceiling_kind) == (0.8, "own columns with all labels")
    assert score.other["blind_own_columns"] == 0.8 and score.other["blind_untrained_bottom"] == 0.6


def test_steps_and_notes_are_told_beside_and_silent_steps_by_what_they_answer():
    truth, rows = np.array([0, 1, 1, 0]), np.arange(4)
    steps = {"linear_probe": np.array([0, 1, 0, 0]), "heard": np.array([0, 1, -1, -1])}
    guess = LabelGuess(rows, np.eye(2)[truth], steps=steps, notes={"epoch": 3.0})
    other = score_labels(guess, truth, rows, 2, blind={}).other
    assert (other["top1_linear_probe"], other["top1_heard"], other["top1_heard_answered"]) == (0.75, 0.5, 1.0)
    assert other["epoch"] == 3.0 and "top1_linear_probe_answered" not in other


def test_five_best_are_counted_where_there_are_more_classes():
    truth = np.arange(8) % 6
    guess = LabelGuess(np.arange(8), np.tile([6.0, 5, 4, 3, 2, 1], (8, 1)))
    assert score_labels(guess, truth, np.arange(8), 6, blind={}).other["top5"] == pytest.approx(7 / 8)


@given(seed=SEEDS)
def test_a_guess_made_without_looking_scores_about_blind(seed):
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(4), 100))
    score = score_labels(LabelGuess(np.arange(400), rng.normal(size=(400, 4))), truth, np.arange(400), 4, blind={})
    assert score.advantage < 0.15 and score.ranking.advantage < 0.15


def test_utility_is_auc_for_two_classes_and_accuracy_for_more():
    two = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    assert utility(np.array([0, 1, 1]), two)[:2] == ("auc", 1.0)
    assert utility(np.array([0, 2]), np.array([[0.8, 0.1, 0.1], [0.5, 0.2, 0.3]]))[:2] == ("accuracy", 0.5)


def test_a_guess_needs_one_line_for_each_row():
    with pytest.raises(ValueError, match="one line for each row"):
        LabelGuess(np.arange(3), np.zeros((2, 2)))
