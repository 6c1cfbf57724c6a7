"""Logistic regression on a few labelled rows, and plain learning from all of them."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from seepage.learners.completion.complete_model import Completed
from seepage.learners.logistic import probe
from seepage.networks.seeding import torch_seeded
from seepage.scores.supervised import supervise


def test_confidences_are_those_of_scikit_learn_on_standardized_columns():
    rng = np.random.default_rng(0)
    known, others, labels = rng.normal(3, 5, (12, 4)), rng.normal(3, 5, (40, 4)), np.arange(12) % 3
    scale = StandardScaler().fit(known)
    model = LogisticRegression(max_iter=1000).fit(scale.transform(known), labels)
    assert np.allclose(probe(known, labels, others, 3), model.predict_proba(scale.transform(others)))


@pytest.mark.parametrize("count", [0, 3])
def test_a_class_without_rows_gets_nothing(count):
    others = np.ones((count, 1))
    two = probe(np.array([[0.0], [1.0]]), np.array([0, 2]), others, classes=4)
    assert two.shape == (count, 4) and np.all(two[:, [1, 3]] == 0) and np.allclose(two.sum(axis=1), 1)
    one = probe(np.array([[0.0], [1.0]]), np.array([1, 1]), others, classes=3)
    assert np.array_equal(one, np.tile([0.0, 1.0, 0.0], (count, 1)))


def test_columns_that_do_not_vary_do_no_harm():
    known = np.array([[0.0, 7.0], [1.0, 7.0]])
    assert probe(known, np.array([0, 1]), np.array([[0.9, 7.0]]), 2).argmax() == 1


def test_learning_from_all_labels_tells_them_and_repeats_itself():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=65)
    features = torch.from_numpy(rng.normal(size=(65, 3)) + 3 * truth[:, None]).float()

    def learned():
        with torch_seeded(np.random.default_rng(1)):
            model = Completed.of([(torch.nn.Linear(3, 4), 3)], classes=2)
        rows = np.arange(65)
        return supervise(model, features, rows, truth, epochs=400, batch=64, rng=np.random.default_rng(2))

    first, second = learned(), learned()
    assert not first.training
    assert np.mean(first(features).argmax(dim=1).numpy() == truth) > 0.95
    assert torch.equal(first(features), second(features))
