"""The batched projection against a quadratic program for every row by itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, lsq_linear, minimize

from seepage.attacks.steps.inversion import box_projection
from seepage.attacks.steps.inversion.box_projection import SLACK, SPREAD, nearest_in_box
from seepage.attacks.steps.inversion.linear_equations import LinearEquations

seeds = st.integers(0, 2**32 - 1)


def drawn(seed, classes, unknown, rows=6, reach=1.0, deviation=0.0):
    """Equations of rows whose truth may lie outside the box, with noise on logarithms."""
    rng = np.random.default_rng(seed)
    differences = np.eye(classes - 1, classes) - np.eye(classes - 1, classes, k=1)
    matrix = differences @ rng.normal(size=(classes, unknown))
    truth = rng.uniform((1 - reach) / 2, (1 + reach) / 2, size=(rows, unknown))
    variances = (
        (deviation * np.exp(rng.normal(size=(rows, classes)))) ** 2 if deviation else np.full((1, classes), 1e-24)
    )
    noise = rng.normal(size=(rows, classes)) * np.sqrt(variances) if deviation else 0.0
    sides = truth @ matrix.T + (noise @ differences.T if deviation else 0.0)
    return LinearEquations(matrix, sides, differences), rng.uniform(0.2, 0.8, size=unknown), variances, truth


def row_by_row(equations, center, variances):
    """Minimize the same objective with SciPy, one row after the other, from least squares of its own."""
    found = []
    for row, side in enumerate(equations.sides):
        noise = equations.differences @ np.diag(variances[row]) @ equations.differences.T
        if equations.matrix.shape[0] > equations.matrix.shape[1]:  # generalized least squares, then the slack
            weights = np.linalg.inv(noise)
            certainty = np.linalg.inv(equations.matrix.T @ weights @ equations.matrix)
            left, side = np.eye(len(center)), certainty @ equations.matrix.T @ weights @ side
            noise = certainty / SPREAD + SLACK * np.eye(len(center))
        else:
            left = equations.matrix
            noise = noise / SPREAD + SLACK * left @ left.T
        root = np.linalg.inv(np.linalg.cholesky(noise))
        whole = np.vstack((np.eye(len(center)), root @ left))
        found.append(lsq_linear(whole, np.concatenate((center, root @ side)), (0, 1), tol=1e-13, max_iter=2000).x)
    return np.array(found)


@settings(max_examples=60, deadline=None)
@given(
    seed=seeds,
    classes=st.integers(2, 6),
    unknown=st.integers(1, 9),
    reach=st.sampled_from([1.0, 1.6]),
    deviation=st.sampled_from([0.02, 0.1, 1.0]),
)
def test_uncertain_equations_give_what_a_quadratic_program_gives(seed, classes, unknown, reach, deviation):
    equations, center, variances, _ = drawn(seed, classes, unknown, reach=reach, deviation=deviation)
    found = nearest_in_box(equations, center, variances)
    assert np.allclose(found, row_by_row(equations, center, variances), atol=2e-5)


@settings(max_examples=25, deadline=None)
@given(seed=seeds, classes=st.integers(2, 4), more=st.integers(1, 4))
def test_exact_equations_give_the_projection_of_the_center(seed, classes, more):
    equations, center, variances, truth = drawn(seed, classes, classes - 1 + more, rows=3)
    found = nearest_in_box(equations, center, variances)
    for units, side, true in zip(found, equations.sides, truth, strict=True):
        solved = minimize(
            lambda point: 0.5 * np.sum((point - center) ** 2),
            true,  # a feasible start, for the referee alone
            jac=lambda point: point - center,
            bounds=[(0, 1)] * len(center),
            constraints=LinearConstraint(equations.matrix, side, side),
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        distance = np.linalg.norm(units - center)
        assert np.allclose(equations.matrix @ units, side, atol=1e-5)
        assert distance <= np.linalg.norm(solved.x - center) + 1e-5
        assert np.allclose(units, solved.x, atol=1e-3)


@settings(max_examples=30, deadline=None)
@given(seed=seeds, classes=st.integers(2, 5), unknown=st.integers(1, 8))
def test_equations_without_a_solution_in_the_box_give_the_point_nearest_to_one(seed, classes, unknown):
    equations, center, variances, _ = drawn(seed, classes, unknown, reach=5.0)
    found = nearest_in_box(equations, center, variances)
    _, _, right = np.linalg.svd(equations.matrix, full_matrices=False)
    aims = equations.sides @ np.linalg.pinv(equations.matrix).T @ right.T
    for units, aim in zip(found, aims, strict=True):
        best = lsq_linear(right, aim, (0, 1), tol=1e-13)
        assert np.linalg.norm(right @ units - aim) <= np.sqrt(2 * best.cost) + 1e-4
        assert units.min() >= 0 and units.max() <= 1


def test_rows_do_not_depend_on_those_beside_them(monkeypatch):
    equations, center, variances, _ = drawn(0, 4, 7, rows=50, deviation=0.1)
    together = nearest_in_box(equations, center, variances)
    monkeypatch.setattr(box_projection, "CHUNK", 65)
    assert np.allclose(nearest_in_box(equations, center, variances), together, atol=1e-9)


def test_columns_without_weight_stay_at_the_center():
    equations, center, variances, _ = drawn(0, 4, 5)
    matrix = equations.matrix.copy()
    matrix[:, 2] = 0.0
    found = nearest_in_box(LinearEquations(matrix, equations.sides, equations.differences), center, variances)
    assert np.allclose(found[:, 2], center[2])


def test_no_weight_and_no_row_are_no_trouble():
    equations, center, variances, _ = drawn(0, 4, 5)
    empty = LinearEquations(0 * equations.matrix, equations.sides, equations.differences)
    assert np.allclose(nearest_in_box(empty, center, variances), center)
    none = LinearEquations(equations.matrix, equations.sides[:0], equations.differences)
    assert nearest_in_box(none, center, variances).shape == (0, 5)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_scale_of_a_model_does_not_matter(scale):
    equations, center, variances, _ = drawn(1, 5, 7)
    scaled = LinearEquations(scale * equations.matrix, scale * equations.sides, equations.differences)
    assert np.allclose(
        nearest_in_box(scaled, center, np.zeros((1, 5)) + 1e-40),
        nearest_in_box(equations, center, variances),
        atol=1e-6,
    )
