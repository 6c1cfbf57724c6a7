"""Vertical logistic regression against scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest

from samples import needs_data, small_data, without_active_columns
from seepage.federations.logistic_regression import LogisticRegression
from seepage.federations.split_network import SplitNetwork
from seepage.hooks import Hooks
from seepage.partition import PartitionedTable
from seepage.randomness import stream
from seepage.scores import auc
from seepage.transcript import Recording


def train(federation, data):
    return federation.train(data, hooks=Hooks(), record=Recording(), rng=stream(0, "test"))


def peer(data: PartitionedTable, c: float, **settings):
    from sklearn.linear_model import LogisticRegression as Peer

    columns = np.hstack([data.parts[party].features for party in data.parties]).astype(np.float64)
    model = Peer(C=c, tol=1e-10, max_iter=20_000, **settings).fit(columns[data.train], data.labels[data.train])
    return model.predict_proba(columns[data.test])


@pytest.mark.parametrize(
    ("name", "parties", "l2"), [("breast_cancer", 2, 10.0), ("iris", 3, 1.0), ("wine", 2, 1.0), ("wine", 3, 10.0)]
)
def test_trained_to_convergence_it_predicts_what_scikit_learn_predicts(name, parties, l2):
    data = small_data(name, parties=parties)
    run = train(LogisticRegression(l2=l2, epochs=50_000, tolerance=1e-9), data)
    np.testing.assert_allclose(run.predict(data.test), peer(data, 1 / l2), atol=1e-4)


def test_class_weights_are_scikit_learn_s_balanced_ones():
    data = small_data("breast_cancer")
    run = train(LogisticRegression(epochs=50_000, tolerance=1e-9, class_weights=True), data)
    # our weighted mean divides by the weights, which add up to the number of rows: the problems are the same
    np.testing.assert_allclose(run.predict(data.test), peer(data, 1.0, class_weight="balanced"), atol=1e-4)


def test_the_intercept_is_with_the_active_party_alone_and_works_without_columns():
    data = without_active_columns(small_data("breast_cancer", parties=3))
    run = train(LogisticRegression(epochs=50_000, tolerance=1e-9), data)
    assert all(len(list(party.bottom.network.parameters())) == 1 for party in run.passive.values())
    assert run.active.bottom is None
    np.testing.assert_allclose(run.predict(data.test), peer(data, 1.0), atol=1e-4)


def test_the_order_of_parties_changes_nothing():
    data = small_data("wine", parties=3)
    active, first, second = data.parties
    turned = replace(data, parts={name: data.parts[name] for name in (active, second, first)})
    settled = LogisticRegression(epochs=50_000, tolerance=1e-10)
    np.testing.assert_allclose(
        train(settled, data).predict(data.test), train(settled, turned).predict(data.test), atol=1e-6
    )


@needs_data
@pytest.mark.parametrize("name", ["adult", "avila"])
def test_with_its_defaults_it_is_within_one_point_of_scikit_learn(name):
    from sklearn.linear_model import LogisticRegression as Peer

    data = small_data(name)
    columns = np.hstack([data.parts[party].features for party in data.parties]).astype(np.float64)
    model = Peer(max_iter=1000).fit(columns[data.train], data.labels[data.train])
    truth = data.labels[data.test]
    ours = np.mean(train(LogisticRegression(), data).predict(data.test).argmax(axis=1) == truth)
    assert abs(ours - model.score(columns[data.test], truth)) < 0.01


@needs_data
def test_a_split_network_reaches_auc_0_895_on_adult():
    data = small_data("adult")
    run = train(SplitNetwork(epochs=4, batch=256), data)
    assert auc(data.labels[data.test], run.predict(data.test)) >= 0.895
