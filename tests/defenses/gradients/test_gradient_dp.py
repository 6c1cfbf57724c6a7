"""What one label changes of all training: bounded by the promise, and measured from below."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, norm

from hand_made import own_part
from seepage.defenses.gradients.gradient_dp import GradientDP, noised_pulls, sensitivity
from seepage.hooks import Signal, unchanged
from seepage.mechanisms.gaussian_privacy import mu_of

ROUNDS = 4
TRIALS = 400_000
DOUBT = 1e-3  # how often a bound from below may lie too high


def started(seed=0, **settings):
    bank = own_part("bank", np.zeros((2, 0)), labels=np.array([0, 1]))
    return GradientDP(**settings).start(bank, np.random.default_rng(seed)).signal


def measured_epsilon(hook, pulls, delta):
    """A lower bound on ε: how much likelier a row is told by one label than by another.

    Each row of a batch is one run of its own, in which everything but one label is known: who attacks adds up what is
    said of it over all rounds along the line between what both labels would have said, and sets a threshold.
    """
    line = (pulls[1] - pulls[0]) / np.linalg.norm(pulls[1] - pulls[0])
    sums = []
    for one in pulls:
        batch = np.tile(one, (TRIALS, 1))
        said = sum(hook(Signal(pulls=batch, rounds=ROUNDS)).pulls for _ in range(ROUNDS))
        sums.append(said @ line)
    threshold = sums[0].mean() + 3.2 * sums[0].std()
    wrong, right = (int(np.count_nonzero(one > threshold)) for one in sums)
    most = beta.ppf(1 - DOUBT / 2, wrong + 1, TRIALS - wrong)  # Clopper and Pearson
    least = beta.ppf(DOUBT / 2, right, TRIALS - right + 1)
    return math.log((least - delta) / most)


@pytest.mark.parametrize(("epsilon", "clip", "logits"), [(1.0, 0.2, 2), (3.0, 1.0, 2), (2.0, 5.0, 1)])
def test_the_epsilon_that_is_measured_lies_between_half_of_what_is_stated_and_all_of_it(epsilon, clip, logits):
    """The worst that can happen: a row of which the model knows nothing, which labels pull alike and apart."""
    pulls = np.array([[0.5, -0.5], [-0.5, 0.5]]) if logits == 2 else np.array([[0.5], [-0.5]])
    found = measured_epsilon(started(epsilon=epsilon, clip=clip), pulls, 1e-5)
    assert epsilon / 2 < found < epsilon


def test_noise_half_as_wide_would_be_found_out():
    """A mechanism that takes the reach of a pull for half of what it is: labels go both ways."""
    half = started(epsilon=2.0, clip=0.1)

    def too_little(signal):
        noise = half(Signal(pulls=0 * signal.pulls, rounds=signal.rounds)).pulls
        return Signal(
            pulls=noised_pulls(signal.pulls, 0.2, 0.0, np.random.default_rng(0)) + noise, rounds=signal.rounds
        )

    pulls = np.array([[0.5, -0.5], [-0.5, 0.5]])
    assert measured_epsilon(too_little, pulls, 1e-5) > 2.0


@given(logits=st.lists(st.floats(-8, 8), min_size=1, max_size=6), clip=st.floats(0.01, 3), seed=st.integers(0, 99))
def test_no_label_moves_a_clipped_pull_further_than_its_reach(logits, clip, seed):
    rng = np.random.default_rng(seed)
    if len(logits) == 1:
        share = 1 / (1 + np.exp(-logits[0]))
        pulls = np.array([[share], [share - 1]])
    else:
        raised = np.exp(np.array(logits) - max(logits))
        labels = rng.choice(len(logits), 2, replace=False)
        pulls = raised / raised.sum() - np.eye(len(logits))[labels]
    said = noised_pulls(pulls, clip, 0.0, rng)
    assert np.linalg.norm(said[0] - said[1]) <= sensitivity(clip, len(logits)) * (1 + 1e-9)


@pytest.mark.parametrize("clip", [0.1, 0.5, math.sqrt(0.5), 1.0])
def test_with_two_classes_that_reach_is_reached(clip):
    said = noised_pulls(np.array([[0.5, -0.5], [-0.5, 0.5]]), clip, 0.0, np.random.default_rng(0))
    assert np.linalg.norm(said[0] - said[1]) == pytest.approx(sensitivity(clip, 2))


def test_noise_is_as_wide_as_the_rounds_and_the_budget_ask():
    said = started(epsilon=2.0, delta=1e-6, clip=0.3)(Signal(pulls=np.zeros((100_000, 3)), rounds=9)).pulls
    wide = 0.6 * 3 / mu_of(2.0, 1e-6)
    assert np.allclose(said.sum(axis=1), 0)
    assert np.var(said) == pytest.approx(wide**2 * 2 / 3, rel=0.02)  # one of three directions is left out
    assert np.var((said[:, 0] - said[:, 1]) / math.sqrt(2)) == pytest.approx(wide**2, rel=0.02)


def test_one_logit_is_noised_in_full():
    said = started(epsilon=2.0, clip=0.3)(Signal(pulls=np.zeros((100_000, 1)), rounds=1)).pulls
    assert np.std(said) == pytest.approx(0.6 / mu_of(2.0, 1e-5), rel=0.02)


def test_who_knows_all_else_names_a_label_as_often_as_the_page_says():
    """Of two labels, equally likely beforehand, Φ(μ/2) are named right by the best that can be done."""
    hook, pulls = started(epsilon=4.0, clip=0.2), np.array([[0.5, -0.5], [-0.5, 0.5]])
    labels = np.arange(100_000) % 2
    said = sum(hook(Signal(pulls=pulls[labels], rounds=ROUNDS)).pulls for _ in range(ROUNDS))
    assert np.mean((said[:, 1] > said[:, 0]) == labels) == pytest.approx(norm.cdf(mu_of(4.0, 1e-5) / 2), abs=0.005)


def test_a_party_without_labels_has_nothing_to_do():
    assert GradientDP().start(own_part("shop", np.zeros((2, 1))), np.random.default_rng(0)).signal is unchanged
