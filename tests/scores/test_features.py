"""Errors of guessed values against closed forms, loops and SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import pearsonr

from seepage.guesses import FeatureGuess
from seepage.scores.features import (
    MANY_COLUMNS,
    blind_errors,
    correlations,
    mse_per_feature,
    same_quarter,
    score_features,
)

UNITS = arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(1, 5)), elements=st.floats(0, 1))


@given(UNITS, st.integers(0, 2**32 - 1))
def test_the_error_is_that_of_a_loop(truth, seed):
    guessed = np.random.default_rng(seed).random(truth.shape)
    rows, columns = truth.shape
    total = sum((guessed[row, column] - truth[row, column]) ** 2 for row in range(rows) for column in range(columns))
    assert np.isclose(mse_per_feature(truth, guessed), total / (rows * columns))


def test_blind_errors_are_the_means_over_their_own_chance():
    rng = np.random.default_rng(0)
    truth = rng.beta(1, 4, size=(50, 3))
    found = blind_errors(truth)
    drawn = {"uniform": rng.random((4000, 50, 3)), "gaussian": rng.normal(0.5, 0.25, size=(4000, 50, 3))}
    for kind, guesses in drawn.items():
        assert found[kind] == pytest.approx(np.mean((guesses - truth) ** 2), abs=1e-3)
    assert found["half"] == pytest.approx(np.mean((0.5 - truth) ** 2))


@given(UNITS)
def test_a_constant_is_the_best_of_the_three_blind_guesses(truth):
    found = blind_errors(truth)
    assert found["half"] < found["gaussian"] < found["uniform"]


def test_correlations_are_those_of_scipy():
    rng = np.random.default_rng(1)
    own, truth = rng.normal(size=(40, 3)), rng.normal(size=(40, 2)) + rng.normal(size=(40, 1))
    expected = [np.mean([abs(pearsonr(one, column).statistic) for one in own.T]) for column in truth.T]
    assert np.allclose(correlations(own, truth), expected)


def test_a_column_that_does_not_vary_correlates_with_nothing():
    still = np.ones((5, 1))
    assert correlations(still, np.arange(5.0)[:, None]) == 0 and correlations(np.arange(5.0)[:, None], still) == 0
    assert correlations(np.zeros((5, 0)), still) == 0


def test_a_score_shows_every_baseline_and_every_column():
    rng = np.random.default_rng(2)
    truth = rng.random((30, 2))
    score = score_features(truth, truth, ["age", "job"], own=rng.random((30, 3)), confidences=rng.random((30, 2)))
    assert (score.value, score.ceiling, score.advantage, score.blind_kind) == (0.0, 0.0, 1.0, "constant ½")
    assert score.blind == score.other["mse_half"] < score.other["mse_gaussian"] < score.other["mse_uniform"]
    assert score.other["mse_column_mean"] == pytest.approx(truth.var(axis=0).mean())
    assert score.other["mse[age]"] == 0.0
    assert {"variance[job]", "correlation_own[age]", "correlation_prediction[job]"} <= set(score.other)


def test_a_guess_in_the_right_quarter_counts_where_columns_were_asked_for():
    rng = np.random.default_rng(6)
    truth = rng.normal(size=(4000, 2))
    said = np.column_stack((truth[:, 0] + 0.3 * rng.normal(size=4000), rng.normal(size=4000)))
    naive = [
        np.mean(
            [np.searchsorted(cuts, a) == np.searchsorted(cuts, b) for a, b in zip(truth[:, c], said[:, c], strict=True)]
        )
        for c in range(2)
        for cuts in [np.quantile(truth[:, c], [0.25, 0.5, 0.75])]
    ]
    assert same_quarter(truth, said) == pytest.approx(naive)
    assert naive[0] > 0.7 and naive[1] == pytest.approx(0.25, abs=0.03)  # blind
    gaps = np.where(rng.random(truth.shape) < 0.2, np.nan, truth)
    assert same_quarter(gaps, truth) == [1.0, 1.0]
    asked = score_features(said, truth, ["age", "job"], chosen=True).other
    assert asked["quarter[age]"] == pytest.approx(naive[0])
    assert "quarter[age]" not in score_features(said, truth, ["age", "job"]).other


def test_a_guess_no_better_than_a_constant_has_no_advantage():
    truth = np.random.default_rng(3).random((200, 4))
    assert score_features(np.full((200, 4), 0.5), truth, list("abcd")).advantage == 0.0
    assert score_features(1 - truth, truth, list("abcd")).advantage == 0.0


def test_what_could_be_guessed_without_messages_counts_as_blind():
    truth = np.random.default_rng(4).random((20, 1))
    score = score_features(truth, truth, ["a"], without_messages={"known values": truth + 0.2})
    assert score.blind == pytest.approx(0.04) and score.blind_kind == "known values"
    assert score.other["mse_known_values"] == score.blind


def test_with_many_columns_none_is_listed():
    truth = np.random.default_rng(5).random((4, MANY_COLUMNS + 1))
    assert not any(
        "[" in name for name in score_features(truth, truth, [f"x{n}" for n in range(MANY_COLUMNS + 1)]).other
    )


def test_missing_values_are_left_out():
    truth = np.random.default_rng(6).random((30, 2))
    gaps = truth.copy()
    gaps[:10, 0] = np.nan
    score = score_features(np.full((30, 2), 0.25), gaps, ["a", "b"], own=truth)
    assert score.other["mse[a]"] == pytest.approx(np.mean((truth[10:, 0] - 0.25) ** 2))
    assert score.other["variance[a]"] == pytest.approx(truth[10:, 0].var())
    assert all(np.isfinite(list(score.other.values()))) and np.isfinite(score.value)
    nothing = score_features(np.zeros((3, 1)), np.full((3, 1), np.nan), ["a"])
    assert nothing.value == 0.0 and all(np.isfinite(list(nothing.other.values())))


def test_indicators_of_one_category_are_shown_together():
    truth = np.eye(2)[[0, 1, 1]]
    score = score_features(np.full((3, 2), 0.5), truth, ["job", "job"])
    assert score.other["mse[job]"] == 0.25 and "mse[job=clerk]" not in score.other


def test_a_guess_must_be_made_of_numbers():
    with pytest.raises(ValueError, match="a guess must be made of numbers"):
        FeatureGuess(np.arange(2), (("shop", "age"),), np.array([[0.5], [np.nan]]))
    assert np.isnan(mse_per_feature(np.ones((2, 1)), np.full((2, 1), np.nan)))  # never mistaken for perfect
