"""Bounds on the error of solved equations, against solutions themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.scores.bounds.equality_solving import nearest_in_box_bound, nearest_to_zero_bound

seeds = st.integers(0, 2**32 - 1)


def test_the_printed_formula():
    truth = np.array([[0.5, 1.0], [0.0, 0.25]])
    by_hand = sum(sum(2 * value**2 for value in row) / 2 for row in truth) / 2  # Eq. 15, averaged over rows
    assert nearest_to_zero_bound(truth) == pytest.approx(by_hand)


@given(seed=seeds, equations=st.integers(1, 6), unknown=st.integers(1, 8))
def test_the_least_solution_is_within_half_of_the_bound(seed, equations, unknown):
    rng = np.random.default_rng(seed)
    matrix, truth = rng.normal(size=(equations, unknown)), rng.uniform(size=(5, unknown))
    solved = truth @ matrix.T @ np.linalg.pinv(matrix).T
    assert np.mean((solved - truth) ** 2) <= nearest_to_zero_bound(truth) / 2 + 1e-12


def test_without_an_equation_half_of_the_bound_is_reached():
    truth = np.random.default_rng(0).uniform(size=(5, 3))
    assert np.mean(truth**2) == pytest.approx(nearest_to_zero_bound(truth) / 2)


@given(seed=seeds, unknown=st.integers(1, 8))
def test_a_projection_is_never_further_off_than_what_was_projected(seed, unknown):
    rng = np.random.default_rng(seed)
    truth = rng.uniform(size=(1, unknown))
    lower, upper = truth - rng.uniform(size=unknown), truth + rng.uniform(size=unknown)  # a box that holds the truth
    projected = np.clip(0.5, lower, upper)
    assert np.mean((projected - truth) ** 2) <= nearest_in_box_bound(truth, 0.5) + 1e-12


def test_nothing_to_solve_bounds_nothing():
    assert nearest_to_zero_bound(np.zeros((0, 3))) == 0.0 and nearest_in_box_bound(np.zeros((3, 0)), 0.5) == 0.0
