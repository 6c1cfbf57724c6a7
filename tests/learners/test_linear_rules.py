"""Straight lines between classes: against loops written by hand and against scikit-learn."""

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression

from seepage.attacks.steps.directions.direction_space import direction_space, directions
from seepage.attacks.steps.directions.weighed_rules import weighed_rules
from seepage.learners.linear_rules import RIDGE, Beginning, likelihood, mixture_of, probed, refined


def clouds(rng, classes=3, count=40, apart=4.0, width=4):
    """Points around a center for each class, and their classes."""
    labels = np.repeat(np.arange(classes), count)
    return rng.normal(size=(len(labels), width)) + apart * rng.normal(size=(classes, width))[labels], labels


def slow_mixture(points, known, labels, claimed, rounds):
    """Expectation maximization row by row, with densities written out."""
    count, width = points.shape
    classes = claimed.shape[1]
    claimed = claimed.copy()
    claimed[known] = np.eye(classes)[labels]
    for _ in range(rounds):
        sizes = [claimed[:, name].sum() for name in range(classes)]
        means = [sum(claimed[i, name] * points[i] for i in range(count)) / sizes[name] for name in range(classes)]
        spread = np.zeros((width, width))
        for i in range(count):
            for name in range(classes):
                off = points[i] - means[name]
                spread += claimed[i, name] * np.outer(off, off) / count
        spread += RIDGE * np.trace(spread) / width * np.eye(width)
        inverse = np.linalg.inv(spread)
        density = np.array(
            [
                [
                    (sizes[name] + 1)
                    / (count + classes)
                    * np.exp(-0.5 * (x - means[name]) @ inverse @ (x - means[name]))
                    for name in range(classes)
                ]
                for x in points
            ]
        )
        said = density / density.sum(axis=1, keepdims=True)
        claimed = said.copy()
        claimed[known] = np.eye(classes)[labels]
    return said


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_mixture_is_what_densities_written_out_say(rounds):
    rng = np.random.default_rng(0)
    points, labels = clouds(rng, apart=1.0, count=15)
    known = np.array([0, 1, 15, 16, 30, 31])
    start = probed(points[known], labels[known], 3, 1.0)
    ((rule,),) = refined(points, [Beginning(known, labels[known], start)], (rounds,))
    expected = slow_mixture(points, known, labels[known], start.confidences(points), rounds)
    np.testing.assert_allclose(rule.confidences(points), expected, atol=1e-8)


def test_a_mixture_of_certain_classes_is_a_linear_discriminant():
    points, labels = clouds(np.random.default_rng(1))
    theirs = LinearDiscriminantAnalysis(priors=np.full(3, 1 / 3)).fit(points, labels).predict(points)
    ours = mixture_of(points, np.eye(3)[labels]).confidences(points).argmax(axis=1)
    assert np.mean(ours == theirs) > 0.98


@pytest.mark.parametrize("classes", [2, 3])
def test_a_probe_is_logistic_regression(classes):
    points, labels = clouds(np.random.default_rng(2), classes=classes, apart=1.0)
    tolerance = 1e-10 if classes == 2 else 1e-4  # between two classes ours is solved to the last digit
    model = LogisticRegression(C=10.0, max_iter=3000, tol=tolerance).fit(points / 2, labels)
    said = probed(points, labels, classes, 2.0).confidences(points)
    np.testing.assert_allclose(said, model.predict_proba(points / 2), atol=1e-6 if classes == 2 else 1e-8)


def test_the_true_classes_are_the_likeliest():
    points, labels = clouds(np.random.default_rng(3))
    shuffled = np.random.default_rng(4).permutation(labels)
    assert likelihood(points, np.eye(3)[labels]) > likelihood(points, np.eye(3)[shuffled])


def test_without_silence_coordinates_are_principal_components():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(200, 4, 3)) * np.linspace(1, 3, 3)
    found = direction_space(values, 1.0, 3).coordinates(values)
    even = directions(values).reshape(200, -1)
    theirs = TruncatedSVD(3, algorithm="arpack", random_state=0).fit_transform(even)
    np.testing.assert_allclose(np.abs(found), np.abs(theirs), atol=1e-6)


def test_a_row_heard_in_some_epochs_is_a_ridge_regression_on_these():
    rng = np.random.default_rng(6)
    values = rng.normal(size=(50, 4, 3)) + rng.normal(size=(50, 1, 3))
    values[0, [1, 3]] = 0.0
    space = direction_space(values, 1.0, 2)
    basis = np.concatenate([space.basis[0], space.basis[2]])
    told = directions(values)[0, [0, 2]].ravel() / space.scale
    expected = np.linalg.solve(basis.T @ basis + np.diag(space.penalty), basis.T @ told)
    np.testing.assert_allclose(space.coordinates(values)[0], expected, atol=1e-10)


def test_tiny_gradients_have_directions_too():
    values = np.array([[[3.0, 4.0]], [[3e-30, 4e-30]]], dtype=np.float32)
    np.testing.assert_allclose(directions(values), [[[0.6, 0.8]]] * 2, rtol=1e-6)


def test_a_rule_led_astray_loses_its_weight():
    """Two classes told apart by a weak direction, while an unrelated strong one splits the rows in halves."""
    rng = np.random.default_rng(7)
    labels, other = np.arange(400) % 2, rng.integers(2, size=400)
    values = np.stack((0.3 * (2 * labels - 1), 3.0 * (2 * other - 1), np.zeros(400)), axis=1)
    values = (values + 0.02 * rng.normal(size=values.shape))[:, None, :]
    known = np.arange(16)
    nothing = np.zeros((400, 0))
    rules = weighed_rules(values, nothing, known, labels[known], 2, "auto", rng)
    assert np.isclose(rules.weights.sum(), 1.0)
    assert np.mean(rules.confidences(values, nothing).argmax(axis=1) == labels) > 0.95
