"""One answer about one number: exact probabilities, the promise they make, and a sampler that keeps to them."""

from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seepage.mechanisms.windowed_response import WindowedResponse

EPSILONS = st.floats(1e-3, 30.0)
LEVELS = st.sampled_from([2, 3, 5, 16, 256])


def naive_probabilities(response, value):
    """The definition in words, one answer at a time."""
    m, d, epsilon = response.levels, response.window, response.epsilon
    clipped = min(max(value, response.low), response.high)
    place = (clipped - response.low) / (response.high - response.low) * (m - d)
    total = d * exp(epsilon) + m - d
    found = []
    for answer in range(m):
        lower, upper = int(place), min(int(place) + 1, m - d)
        inside = {first: exp(epsilon) if first <= answer < first + d else 1 for first in (lower, upper)}
        found.append(((1 - (place - lower)) * inside[lower] + (place - lower) * inside[upper]) / total)
    return np.array(found)


@settings(max_examples=150)
@given(epsilon=EPSILONS, bound=st.floats(1e-3, 1e3), levels=LEVELS, symmetric=st.booleans())
def test_no_answer_is_more_than_e_to_the_epsilon_likelier_under_another_value(epsilon, bound, levels, symmetric):
    response = WindowedResponse(epsilon, -bound if symmetric else 0.0, bound, levels)
    values = np.linspace(-3 * bound, 3 * bound, 121)  # beyond the range as well, where values are clipped
    matrix = response.probabilities(values)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=1e-9)
    worst = (matrix.max(axis=0) / matrix.min(axis=0)).max()
    assert worst <= exp(epsilon) * (1 + 1e-9)
    assert worst >= exp(epsilon) * (1 - 1e-9)  # the whole budget is used


@given(epsilon=EPSILONS, bound=st.floats(1e-3, 1e3), levels=LEVELS, at=st.floats(-0.5, 1.5))
def test_the_probabilities_are_those_of_the_definition(epsilon, bound, levels, at):
    response = WindowedResponse(epsilon, -bound, 2 * bound, levels)
    value = -bound + at * 3 * bound
    np.testing.assert_allclose(
        response.probabilities(np.array([value]))[0], naive_probabilities(response, value), rtol=1e-6, atol=1e-12
    )


@given(epsilon=st.floats(0.05, 30.0), bound=st.floats(1e-3, 1e3), levels=LEVELS)
def test_answers_are_right_on_average(epsilon, bound, levels):
    response = WindowedResponse(epsilon, -bound, bound, levels)
    values = np.linspace(-bound, bound, 41)
    np.testing.assert_allclose(response.probabilities(values) @ response.answers, values, atol=1e-9 * bound)


def test_two_levels_are_randomized_response_between_two_numbers():
    response = WindowedResponse(np.log(3), -1.0, 1.0, levels=2)
    np.testing.assert_allclose(response.answers, [-2, 2])
    np.testing.assert_allclose(
        response.probabilities(np.array([-1.0, 0.0, 1.0])), [[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]]
    )


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_the_spread_is_that_of_the_piecewise_mechanism(epsilon):
    response = WindowedResponse(epsilon, -1.0, 1.0)
    half = np.exp(epsilon / 2)
    for value in (0.0, 0.5, 1.0):
        (found,) = response.probabilities(np.array([value])) @ (response.answers - value) ** 2
        published = value**2 / (half - 1) + (half + 3) / (3 * (half - 1) ** 2)  # Lemma 1 of Wang et al.
        assert found == pytest.approx(published, rel=0.05)


@pytest.mark.parametrize(("epsilon", "value"), [(0.3, 0.0), (2.0, 0.37), (6.0, 0.9)])
def test_answers_are_as_frequent_as_they_should_be(epsilon, value):
    from scipy.stats import chisquare

    response = WindowedResponse(epsilon, 0.0, 1.0, levels=16)
    released = response.release(np.full(40_000, value), np.random.default_rng(1))
    places = np.searchsorted((response.answers[:-1] + response.answers[1:]) / 2, released)
    found = np.bincount(places, minlength=16)
    assert chisquare(found, 40_000 * naive_probabilities(response, value)).pvalue > 1e-3
    assert chisquare(found, 40_000 * naive_probabilities(response, (value + 0.5) % 1)).pvalue < 1e-3


def test_only_the_fixed_answers_are_ever_sent_and_shape_and_type_are_kept():
    response = WindowedResponse(1.0, 0.0, 2.0)
    values = np.random.default_rng(0).normal(1, 2, size=(200, 16)).astype(np.float32)
    released = response.release(values, np.random.default_rng(1))
    assert released.shape == values.shape and released.dtype == np.float32
    assert np.isin(released, response.answers.astype(np.float32)).all()


def test_a_large_budget_tends_to_the_clipped_value():
    values = np.linspace(-2, 3, 500)
    clipped = np.clip(values, 0, 1)
    errors = [
        np.abs(WindowedResponse(epsilon, 0.0, 1.0).release(values, np.random.default_rng(0)) - clipped).max()
        for epsilon in (2.0, 8.0, 30.0, 1000.0)
    ]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] <= 1 / 255 + 1e-12


def test_what_is_no_number_is_answered_like_any_other():
    response = WindowedResponse(1.0, -1.0, 1.0)
    released = response.release(np.array([np.nan, np.inf, -np.inf]), np.random.default_rng(0))
    assert np.isin(released, response.answers).all()


@pytest.mark.parametrize(
    ("settings_", "match"),
    [
        ((0.0, 0.0, 1.0), "epsilon must be above 0 and finite"),
        ((np.inf, 0.0, 1.0), "epsilon must be above 0 and finite"),
        ((np.nan, 0.0, 1.0), "epsilon must be above 0 and finite"),
        ((1.0, 1.0, 1.0), "from a lower to a higher"),
        ((1.0, 0.0, np.inf), "from a lower to a higher"),
        ((1.0, 0.0, 1.0, 1), "levels must be 2 or more"),
    ],
)
def test_impossible_settings_are_refused(settings_, match):
    with pytest.raises(ValueError, match=match):
        WindowedResponse(*settings_)
