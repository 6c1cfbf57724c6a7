"""Noise that makes two classes alike: against a general solver, and against covariances written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from seepage.mechanisms.least_divergence import Noise, TwoClasses, least_divergence

CASES = st.builds(
    TwoClasses,
    gap=st.floats(0.01, 10),
    spread=st.tuples(st.floats(0.001, 5), st.floats(0.001, 5)),
    share=st.floats(0.02, 0.98),
    width=st.integers(1, 24),
)


def power(classes, noise):
    (a0, a1), (b0, b1) = noise.along, noise.across
    p0, p1 = classes.weights
    return p0 * (a0 + (classes.width - 1) * b0) + p1 * (a1 + (classes.width - 1) * b1)


def by_a_general_solver(classes, budget, rng):
    """SLSQP over all four numbers, the constraint of sorted eigenvalues of the paper included, from several starts."""

    def noise(x):
        return Noise((x[0], x[1]), (x[2], x[3]))

    found = []
    for _ in range(4):
        start = rng.uniform(size=4)
        start *= budget / max(power(classes, noise(start)), 1e-9)
        answer = minimize(
            lambda x: classes.divergence(noise(np.maximum(x, 0.0))), start, method="SLSQP", bounds=[(0, None)] * 4,
            constraints=[
                {"type": "ineq", "fun": lambda x: budget - power(classes, noise(x))},
                {"type": "ineq", "fun": lambda x: [x[0] - x[2], x[1] - x[3]]},
            ],
            options={"maxiter": 300, "ftol": 1e-12},
        )  # fmt: skip
        if power(classes, noise(answer.x)) <= budget * (1 + 1e-6):
            found.append(float(answer.fun))
    return min(found)


@settings(max_examples=25)
@given(classes=CASES, ratio=st.floats(0.1, 50), seed=st.integers(0, 99))
def test_a_general_solver_finds_nothing_better(classes, ratio, seed):
    budget = ratio * classes.gap
    noise = least_divergence(classes, budget)
    best = by_a_general_solver(classes, budget, np.random.default_rng(seed))
    assert power(classes, noise) <= budget * (1 + 1e-9)
    assert min(*noise.along, *noise.across) >= 0
    assert classes.divergence(noise) <= best + 1e-6 * max(1.0, best)


@settings(max_examples=25)
@given(classes=CASES, ratio=st.floats(0.1, 50))
def test_noise_along_the_line_is_never_less_than_across_it_and_across_one_class_has_none(classes, ratio):
    (a0, a1), (b0, b1) = (lambda noise: (noise.along, noise.across))(least_divergence(classes, ratio * classes.gap))
    if classes.width > 1:
        assert a0 >= b0 * (1 - 1e-6) and a1 >= b1 * (1 - 1e-6) and min(b0, b1) == 0


@given(classes=CASES, noise=st.builds(Noise, *[st.tuples(st.floats(0, 5), st.floats(0, 5))] * 2))
def test_the_divergence_is_that_of_two_gaussians(classes, noise):
    width = classes.width
    line = np.zeros(width)
    line[0] = 1.0
    covariances = [
        np.eye(width) * (own + across) + np.outer(line, line) * (along - across)
        for own, along, across in zip(classes.spread, noise.along, noise.across, strict=True)
    ]
    gap = line * np.sqrt(classes.gap)

    def kl(one, other):
        inverse = np.linalg.inv(other)
        return 0.5 * (
            np.trace(inverse @ one)
            + gap @ inverse @ gap
            - width
            + np.linalg.slogdet(other)[1]
            - np.linalg.slogdet(one)[1]
        )

    both = kl(*covariances) + kl(*covariances[::-1])
    assert classes.divergence(noise) == pytest.approx(both, rel=1e-6, abs=1e-6)


def test_points_are_moved_along_the_line_alone_and_alike_where_classes_are_even():
    assert least_divergence(TwoClasses(1.0, (0.0, 0.0), 0.5, 16), 4.0) == Noise((4.0, 4.0), (0.0, 0.0))


def test_points_of_a_rare_class_get_the_most_noise():
    noise = least_divergence(TwoClasses(1.0, (0.0, 0.0), 0.1, 16), 4.0)
    assert noise.along[1] > noise.along[0] and noise.across == (0.0, 0.0)


def test_more_power_leaves_less_apart():
    classes = TwoClasses(1.0, (0.1, 0.4), 0.3, 16)
    left = [classes.divergence(least_divergence(classes, budget)) for budget in (0.5, 1, 4, 16, 64)]
    assert left == sorted(left, reverse=True) and left[-1] < 0.1


def test_where_means_are_the_same_nothing_is_spent():
    assert least_divergence(TwoClasses(0.0, (1.0, 2.0), 0.5, 4), 0.0) == Noise((0.0, 0.0), (0.0, 0.0))
