"""R³eLU: which numbers it keeps and how often, how long its noise is, and what an answer gives away."""

import math

import numpy as np
import pytest

from seepage.mechanisms.r3elu import R3eLU, half


def test_without_noise_the_largest_half_stays_and_is_clipped():
    values = np.array([[9.0, 1.0, 3.0, 2.0], [0.5, 0.5, 0.5, 0.5]])
    sure = R3eLU(epsilon=1e9, bound=5.0)
    answers = np.stack([sure.release(values, np.random.default_rng(seed)) for seed in range(200)])
    np.testing.assert_allclose(answers.max(axis=0), [[5.0, 0.0, 3.0, 0.0], [0.5, 0.5, 0.0, 0.0]], atol=1e-6)
    assert np.all(answers[:, 0, 0] > 4.9)  # the largest is sure to stay


def test_a_gradient_keeps_its_signs_and_the_largest_magnitudes():
    values = np.array([[-9.0, 1.0, 3.0, -2.0]])
    sure = R3eLU(epsilon=1e9, bound=5.0, signed=True)
    answers = np.stack([sure.release(values, np.random.default_rng(seed)) for seed in range(200)])
    np.testing.assert_allclose(answers[:, 0, 0], -5.0, atol=1e-6)
    np.testing.assert_allclose(answers[:, 0, [1, 3]], 0.0, atol=1e-6)
    stays = np.isclose(answers[:, 0, 2], 3.0, atol=1e-6).mean()
    assert abs(stays - 0.8) < 0.1  # ½ + 3/5 · ½


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_answers_are_spread_as_the_definition_says(epsilon):
    """Against a naive loop over numbers, by the share of zeros and the mean of what is left."""
    values, bound = np.array([2.0, 0.5, 1.0, 0.0]), 2.0
    response, rng = R3eLU(epsilon, bound), np.random.default_rng(0)
    many = response.release(np.tile(values, (20_000, 1)), rng)
    kept, e, scale = [2.0, 0.0, 1.0, 0.0], math.exp(epsilon / 4), 2 * 2 * bound / (epsilon / 2)
    for column, value in zip(many.T, kept, strict=True):
        stays = 0.5 + value / 2.0 * (e / (1 + e) - 0.5)
        below = 0.5 * math.exp(-value / scale)  # Lap ≤ −v
        assert abs((column == 0).mean() - (1 - stays + stays * below)) < 0.015
        # E max(0, v + Lap b) = v + b/2 · exp(−v / b)
        assert abs(column.mean() - stays * (value + scale / 2 * math.exp(-value / scale))) < 0.05 * scale


def log_density(response, row, answers):
    """The logarithm of how probable answers to a row of outputs are: an atom at 0, and a density above it."""
    kept = response._largest(row[None]).clip(0.0, response.bound)
    stays = response.chances(kept)[0]
    scale = 2 * half(len(row)) * response.bound / (response.epsilon / 2)
    below = 0.5 * np.exp(-kept[0] / scale)
    density = np.exp(-np.abs(answers - kept[0]) / scale) / (2 * scale)
    return np.log(np.where(answers == 0, 1 - stays + stays * below, stays * density)).sum()


def test_no_answer_is_more_telling_than_is_said():
    rng = np.random.default_rng(0)
    for epsilon in (1.0, 6.0):
        response, worst = R3eLU(epsilon, bound=1.0), 0.0
        for _ in range(400):
            one, other = rng.choice([0.0, 0.01, 1.0], size=(2, 4))
            answers = rng.choice([0.0, 0.3, 1.0, 20.0], size=4)
            worst = max(worst, log_density(response, one, answers) - log_density(response, other, answers))
        assert 0.3 * epsilon < worst <= response.spent(4)


def test_a_row_of_zeros_and_a_row_of_one_number_are_answered_for():
    response = R3eLU(epsilon=1.0, bound=1.0)
    assert response.release(np.zeros((3, 4), np.float32), np.random.default_rng(0)).dtype == np.float32
    assert response.release(np.ones((3, 1)), np.random.default_rng(0)).shape == (3, 1)
    with pytest.raises(ValueError, match="epsilon"):
        R3eLU(epsilon=0.0, bound=1.0)
