"""Regression on a few known rows: against a naive loop, exact where columns are linear, modest where they are not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

from seepage.attacks.steps.values.regression import LEAST_VARIANCE, NARROWNESS, PENALTIES, Inputs, learned, regressed


def left_out(fit, inputs, units):
    """The naive loop: fit without each row in its turn, and look at it."""
    errors = []
    for row in range(len(units)):
        kept = np.arange(len(units)) != row
        errors.append((fit(inputs[kept], units[kept], inputs[[row]]) - units[[row]])[0] ** 2)
    return np.mean(errors, axis=0)


def by_hand(block, penalty, narrowness):
    """Ridge regression or kernel ridge regression of another library, the mean aside."""
    if not narrowness:
        return lambda known, units, others: Ridge(alpha=penalty).fit(known, units).predict(others)

    def fit(known, units, others):
        # a kernel whose known rows have mean 0: what leaving the intercept unpenalized amounts to
        together = np.concatenate((known, others))
        likeness = np.exp(-narrowness * ((together[:, None] - known[None]) ** 2).sum(axis=2))
        inside = likeness[: len(known)]
        middle = likeness - inside.mean(axis=0) - likeness.mean(axis=1, keepdims=True) + inside.mean()
        model = KernelRidge(alpha=penalty, kernel="precomputed").fit(middle[: len(known)], units - units.mean(axis=0))
        return model.predict(middle[len(known) :]) + units.mean(axis=0)

    return fit


def test_kernel_and_penalty_are_those_that_a_naive_loop_chooses():
    rng = np.random.default_rng(3)
    inputs, others = rng.normal(size=(14, 20)), rng.normal(size=(30, 20))
    units = 0.5 + 0.1 * np.tanh(inputs[:, :3] @ rng.normal(size=(3, 2))) + 0.02 * rng.normal(size=(14, 2))
    block = Inputs.standardized(inputs, others)
    assert block.whitened() is None
    choices = [(narrowness, penalty) for narrowness in NARROWNESS for penalty in PENALTIES[:17]]
    errors = np.array([left_out(by_hand(block, penalty, gamma), block.known, units) for gamma, penalty in choices])
    compared = errors / (units.var(axis=0) + LEAST_VARIANCE)
    chosen = (compared + compared.mean(axis=1, keepdims=True)).argmin(axis=0)
    told, error = regressed(inputs, units, others)
    for column, place in enumerate(chosen):
        gamma, penalty = choices[place]
        expected = by_hand(block, penalty, gamma)(block.known, units, block.others)[:, column]
        assert np.allclose(told[:, column], np.clip(expected, 0, 1), atol=1e-8)
    assert error == pytest.approx(errors[chosen, np.arange(2)].mean(), rel=1e-6)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), width=st.integers(1, 12), columns=st.integers(1, 5))
def test_linear_columns_are_found_exactly_whatever_the_scale_of_their_directions(seed, width, columns):
    rng = np.random.default_rng(seed)
    together = rng.uniform(size=(120, width)) * np.logspace(0, -6, width)
    weights = rng.uniform(-1, 1, size=(width, columns)) / np.logspace(0, -6, width)[:, None]
    units = together @ weights
    units = (units - units.min(axis=0)) / np.ptp(units, axis=0)
    known = width + 8
    told, error = learned((Inputs.scaled(together[:known], together[known:]),), units[:known])
    assert np.abs(told - units[known:]).max() < 1e-6
    assert error < 1e-10


def test_inputs_that_say_nothing_leave_the_mean():
    units = np.array([[0.1, 0.2], [0.3, 0.2], [0.5, 0.8]])
    told, error = regressed(np.ones((3, 2)), units, np.ones((5, 2)))
    assert np.allclose(told, units.mean(axis=0))
    assert error == pytest.approx((((units - units.mean(axis=0)) * 1.5) ** 2).mean())
    told, _ = regressed(np.zeros((3, 0)), units, np.zeros((5, 0)))
    assert np.allclose(told, units.mean(axis=0))


def test_noise_is_not_taken_for_knowledge():
    """Leave-one-out cannot be fooled for long: noise costs little over the mean."""
    worse = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        inputs, units = rng.normal(size=(240, 30)), rng.uniform(size=(240, 4))
        told, _ = regressed(inputs[:40], units[:40], inputs[40:])
        mean = ((units[:40].mean(axis=0) - units[40:]) ** 2).mean()
        worse.append(((told - units[40:]) ** 2).mean() / mean)
    assert np.mean(worse) < 1.1


def test_a_block_that_knows_nothing_does_not_drown_one_that_does():
    rng = np.random.default_rng(0)
    useful, noise = rng.normal(size=(300, 4)), rng.normal(size=(300, 60))
    units = 0.5 + 0.1 * np.tanh(useful @ rng.normal(size=(4, 3)))
    blocks = [Inputs.scaled(block[:40], block[40:]) for block in (useful, noise)]
    alone, _ = learned(blocks[:1], units[:40])
    for order in (blocks, blocks[::-1]):
        both, _ = learned(order, units[:40])
        assert ((both - units[40:]) ** 2).mean() < 1.2 * ((alone - units[40:]) ** 2).mean() + 1e-6


def test_bent_columns_are_learned_with_a_kernel():
    rng = np.random.default_rng(1)
    inputs = rng.uniform(-2, 2, size=(400, 1))
    units = np.clip(inputs**2 / 4, 0, 1)
    told, _ = regressed(inputs[:40], units[:40], inputs[40:])
    straight = Ridge(alpha=1e-3).fit(inputs[:40], units[:40]).predict(inputs[40:]).reshape(-1, 1)
    assert ((told - units[40:]) ** 2).mean() < 0.1 * ((straight - units[40:]) ** 2).mean()
