"""Logistic regression between two classes: against scikit-learn, and at the minimum of its loss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from seepage.learners.logistic import fitted_logistic


def loss(weights, bias, points, signs, strength, counts):
    margins = signs * (points @ weights + bias)
    return 0.5 * weights @ weights + strength * (counts * np.logaddexp(0, -margins)).sum()


@pytest.mark.parametrize(("rows", "columns", "strength"), [(8, 3, 10.0), (8, 30, 10.0), (300, 12, 0.1), (300, 12, 1.0)])
def test_coefficients_are_those_of_scikit_learn_given_time(rows, columns, strength):
    rng = np.random.default_rng(0)
    points, counts = rng.normal(size=(rows, columns)), rng.uniform(0.1, 1, rows)
    second = points[:, 0] + rng.normal(size=rows) > 0
    found = fitted_logistic(points, second, strength, counts)
    theirs = LogisticRegression(C=strength, max_iter=10_000, tol=1e-10).fit(points, second, sample_weight=counts)
    assert np.allclose(found.weights, theirs.coef_[0], atol=1e-4)
    assert found.bias == pytest.approx(theirs.intercept_[0], abs=1e-4)
    assert np.allclose(found.confidences(points), theirs.predict_proba(points), atol=1e-5)


@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(1, 20), st.sampled_from([0.1, 10.0, 1000.0]))
def test_no_step_away_from_the_solution_lowers_the_loss(seed, rows, columns, strength):
    rng = np.random.default_rng(seed)
    points, second = rng.normal(scale=10 ** rng.uniform(-2, 2), size=(rows, columns)), rng.random(rows) < 0.5
    second[:2] = False, True
    found = fitted_logistic(points, second, strength)
    signs = np.where(second, 1.0, -1.0)
    least = loss(found.weights, found.bias, points, signs, strength, np.ones(rows))
    for _ in range(10):
        away = rng.normal(scale=1e-2, size=columns + 1)
        near = loss(found.weights + away[:-1], found.bias + away[-1], points, signs, strength, np.ones(rows))
        assert near >= least - 1e-7 * max(1.0, least)


def test_classes_that_nothing_tells_apart_get_their_shares():
    confidences = fitted_logistic(np.zeros((4, 2)), np.array([True, False, False, False]), 1.0).confidences(
        np.ones((1, 2))
    )
    assert np.allclose(confidences, [[0.75, 0.25]])
