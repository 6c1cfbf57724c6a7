"""The accountant of Gaussian noise, against numbers of dp-accounting and against integrals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from seepage.mechanisms.gaussian_privacy import delta_of, epsilon_of, mu_of

# Google's dp-accounting 0.6.0, sensitivity 1, PLDAccountant(value_discretization_interval=1e-4):
# deviation, rounds, δ → ε
COMPOSED = [
    (1.0, 1, 1e-5, 4.37717810), (1.0, 1, 1e-7, 5.34934541), (4.0, 1, 1e-5, 0.92634152), (4.0, 1, 1e-7, 1.18174592),
    (20.0, 20, 1e-5, 0.81972835), (20.0, 20, 1e-7, 1.04923732), (10.0, 20, 1e-5, 1.76005716),
    (10.0, 20, 1e-7, 2.20662337), (5.0, 200, 1e-5, 15.45615583), (5.0, 200, 1e-7, 18.14051734),
    (50.0, 200, 1e-5, 1.06078976), (50.0, 200, 1e-7, 1.34828662),
]  # fmt: skip
# the same, GaussianPrivacyLoss(deviation).get_delta_for_epsilon(ε)
DELTAS = [
    (1.0, 0.1, 0.3523251716813667), (1.0, 1.0, 0.12693673750664392), (1.0, 4.0, 4.712241200793165e-05),
    (4.0, 0.1, 0.06033716635810338), (4.0, 1.0, 2.9242721048563415e-06), (20.0, 0.1, 0.00044619186488469714),
]  # fmt: skip
# the same, calibrate_dp_mechanism with tol=1e-4: ε, δ → deviation
CALIBRATED = [(1.0, 1e-5, 3.730632), (4.0, 1e-5, 1.081261), (0.1, 1e-6, 36.304693)]


@pytest.mark.parametrize(("deviation", "rounds", "delta", "epsilon"), COMPOSED)
def test_rounds_add_up_as_dp_accounting_adds_them_up(deviation, rounds, delta, epsilon):
    assert epsilon_of(np.sqrt(rounds) / deviation, delta) == pytest.approx(epsilon, rel=1e-3)


@pytest.mark.parametrize(("deviation", "epsilon", "delta"), DELTAS)
def test_one_round_is_as_dp_accounting_has_it(deviation, epsilon, delta):
    assert delta_of(epsilon, 1 / deviation) == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize(("epsilon", "delta", "deviation"), CALIBRATED)
def test_noise_is_as_wide_as_dp_accounting_makes_it(epsilon, delta, deviation):
    assert 1 / mu_of(epsilon, delta) == pytest.approx(deviation, rel=1e-3)


@settings(max_examples=30)
@given(epsilon=st.floats(0.05, 10), mu=st.floats(0.05, 4))
def test_delta_is_what_one_gaussian_has_more_of_than_e_to_the_epsilon_times_the_other(epsilon, mu):
    def more(x):
        return max(0.0, norm.pdf(x, mu) - np.exp(epsilon) * norm.pdf(x))

    edge = epsilon / mu + mu / 2  # where both are alike
    total = quad(more, edge, edge + 12, epsabs=1e-13, limit=200)[0]
    assert delta_of(epsilon, mu) == pytest.approx(total, rel=1e-5, abs=1e-12)


@given(epsilon=st.floats(0.01, 20), delta=st.floats(1e-9, 0.05))
def test_there_and_back_is_the_same(epsilon, delta):
    assert epsilon_of(mu_of(epsilon, delta), delta) == pytest.approx(epsilon, rel=1e-6, abs=1e-9)


def test_a_delta_that_holds_anyway_needs_no_epsilon():
    assert epsilon_of(0.1, 0.5) == 0.0


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, float("nan")])
def test_a_delta_that_is_none_is_refused(delta):
    with pytest.raises(ValueError, match="delta must be above 0 and below 1"):
        mu_of(1.0, delta)


@pytest.mark.parametrize(("deviation", "messages", "epsilon"), [(1.0, 1, 1.0), (2.0, 5, 0.3), (0.7, 21, 12.0)])
def test_many_messages_tell_what_their_mean_tells(deviation, messages, epsilon):
    """Of so many messages the mean says it all: two normal distributions, and the hockey-stick between them."""
    spread = deviation / np.sqrt(messages)

    def excess(x):
        return max(0.0, norm.pdf(x, 1.0, spread) - np.exp(epsilon) * norm.pdf(x, 0.0, spread))

    edge = 0.5 + epsilon * spread**2
    found, _ = quad(excess, edge, edge + 40 * spread, epsabs=1e-13, limit=200)
    assert delta_of(epsilon, np.sqrt(messages) / deviation) == pytest.approx(found, abs=1e-10)


@pytest.mark.parametrize("epsilon", [0.01, 30.0, 800.0])
def test_large_and_small_budgets_come_back_too(epsilon):
    assert epsilon_of(mu_of(epsilon, 1e-5), 1e-5) == pytest.approx(epsilon, rel=1e-6)


def test_enough_noise_spends_nothing():
    assert epsilon_of(1e-6, 1e-2) == 0.0


def test_no_budget_and_no_distance_are_refused():
    with pytest.raises(ValueError, match="epsilon must be above 0"):
        mu_of(0.0, 1e-5)
    with pytest.raises(ValueError, match="mu must be above 0"):
        epsilon_of(0.0, 1e-5)
