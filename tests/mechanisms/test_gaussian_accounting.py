"""What is stated of many noisy messages is neither more nor less than what they give away."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from seepage.mechanisms.gaussian_accounting import delta_of, epsilon_of, noise_for


@pytest.mark.parametrize(("noise", "times", "epsilon"), [(1.0, 1, 1.0), (2.0, 5, 0.3), (0.7, 21, 12.0)])
def test_delta_is_the_integral_of_what_one_density_exceeds_the_other_by(noise, times, epsilon):
    """Of so many messages the mean says it all: two normal distributions, and the hockey-stick between them."""
    spread = noise / np.sqrt(times)

    def excess(x):
        return max(0.0, norm.pdf(x, 1.0, spread) - np.exp(epsilon) * norm.pdf(x, 0.0, spread))

    edge = 0.5 + epsilon * spread**2
    found, _ = quad(excess, edge, edge + 40 * spread, epsabs=1e-13, limit=200)
    assert delta_of(epsilon, noise, times) == pytest.approx(found, abs=1e-10)


def test_many_messages_are_one_with_less_noise():
    assert epsilon_of(3.0, 9, 1e-6) == pytest.approx(epsilon_of(1.0, 1, 1e-6))


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 30.0, 800.0])
@pytest.mark.parametrize("times", [1, 40])
def test_noise_for_a_budget_spends_that_budget(epsilon, times):
    assert epsilon_of(noise_for(epsilon, times, 1e-5), times, 1e-5) == pytest.approx(epsilon, rel=1e-6)


def test_enough_noise_spends_nothing():
    assert epsilon_of(1e6, 1, 1e-2) == 0.0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: noise_for(0.0, 1, 1e-5), "epsilon must be above 0"),
        (lambda: noise_for(1.0, 0, 1e-5), "times must be 1 or more"),
        (lambda: epsilon_of(0.0, 1, 1e-5), "noise must be above 0"),
        (lambda: epsilon_of(1.0, 1, 0.0), "delta must be above 0"),
        (lambda: epsilon_of(1.0, 1, 1.0), "delta must be 0 or more and below 1"),
    ],
)
def test_impossible_budgets_are_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
