"""Groups of rows against the truth and beside what is known without a federation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.guesses import ClusterGuess
from seepage.scores import score_clusters, v_measure

TRUTH = np.array([0, 0, 0, 1, 1, 1, 9, 9])
ROWS = np.arange(6)


def test_the_numbers_of_clusters_mean_nothing():
    score = score_clusters(ClusterGuess(ROWS, np.array([7, 7, 7, 2, 2, 2])), TRUTH, ROWS, 2, [])
    assert (score.metric, score.value, score.ceiling) == ("v_measure", pytest.approx(1.0), 1.0)
    assert (score.blind, score.blind_kind, score.advantage) == (0.0, "one cluster", pytest.approx(1.0))
    assert score.other == {"accuracy_best_matching": 1.0, "clusters": 2.0}


def test_the_order_of_rows_means_nothing():
    shuffled = np.array([5, 0, 3, 2, 1, 4])
    guess = ClusterGuess(shuffled, TRUTH[shuffled], {"half": np.array([1, 0, 0, 0, 1, 1])})
    score = score_clusters(guess, TRUTH, ROWS, 2, [])
    assert score.value == pytest.approx(1.0)
    assert score.other["v_half"] == pytest.approx(v_measure(TRUTH[shuffled], np.array([1, 0, 0, 0, 1, 1])))


def test_blind_is_the_best_of_the_groupings_that_need_no_federation():
    poor, good = ClusterGuess(ROWS, np.array([0, 1, 0, 1, 0, 1])), ClusterGuess(ROWS, np.array([0, 0, 1, 1, 1, 1]))
    score = score_clusters(good, TRUTH, ROWS, 2, [(poor, "poor"), (good, "good")])
    assert score.blind_kind == "good" and score.blind == score.value and score.advantage == 0.0


def test_rows_not_spoken_of_are_one_more_cluster():
    score = score_clusters(ClusterGuess(ROWS[:3], np.zeros(3, dtype=np.int64)), TRUTH, ROWS, 2, [])
    assert score.value == pytest.approx(1.0) and score.other["clusters"] == 2.0


def test_as_many_clusters_as_rows_can_be_scored():
    rows = np.arange(100_000)
    score = score_clusters(ClusterGuess(rows, rows), rows % 3, rows, 3, [])
    assert score.other["accuracy_best_matching"] == pytest.approx(3 / 100_000)
    assert score.value < 0.2


@given(st.integers(1, 40), st.integers(1, 6), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_the_v_measure_is_that_of_scikit_learn(rows, classes, groups, seed):
    from sklearn.metrics import v_measure_score

    rng = np.random.default_rng(seed)
    truth, clusters = rng.integers(classes, size=rows), rng.integers(groups, size=rows)
    assert v_measure(truth, clusters) == pytest.approx(v_measure_score(truth, clusters), abs=1e-12)
