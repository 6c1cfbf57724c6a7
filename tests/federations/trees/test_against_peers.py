"""Trees across parties learn what trees in one place learn."""

from dataclasses import replace

import numpy as np
import pytest
import xgboost
from sklearn.ensemble import BaggingClassifier
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier

from samples import needs_data, small_data
from seepage.federations.boosting import Boosting
from seepage.federations.decision_tree import DecisionTree
from seepage.federations.forest import Forest
from tree_samples import pre_binned, trained, whole, with_features

EXACT = [
    pytest.param("breast_cancer"),
    pytest.param("phishing", marks=needs_data),
    pytest.param("avila", marks=needs_data),
    pytest.param("fars", marks=needs_data),
]


def xgboost_confidences(data, rounds, **settings):
    """What XGBoost says about the test rows."""
    features, classes = whole(data), len(data.classes)
    objective = (
        {"objective": "binary:logistic"} if classes == 2 else {"objective": "multi:softprob", "num_class": classes}
    )
    common = {"max_depth": 6, "eta": 0.3, "reg_lambda": 1, "base_score": 0.5, "nthread": 1}
    train = xgboost.DMatrix(features[data.train], data.labels[data.train])
    model = xgboost.train({**common, **objective, **settings}, train, rounds)
    said = model.predict(xgboost.DMatrix(features[data.test]))
    return np.stack((1 - said, said), axis=1) if classes == 2 else said


def held_out_loss(data, confidences):
    return log_loss(data.labels[data.test], confidences, labels=range(len(data.classes)))


@pytest.mark.parametrize("name", EXACT)
def test_boosting_with_every_value_is_xgboost_exact(name):
    data = small_data(name, parties=2)
    rounds = {"breast_cancer": 8, "phishing": 8, "avila": 4, "fars": 2}[name]
    run = trained(Boosting(candidates="all", column_sample=1.0, trees=rounds, multiclass="per-class"), data)
    theirs = xgboost_confidences(data, rounds, tree_method="exact", min_child_weight=1)
    assert held_out_loss(data, run.predict(data.test)) == pytest.approx(held_out_loss(data, theirs), rel=0.01)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weight", [0.0, 1.0])
@pytest.mark.parametrize(("candidates", "method"), [("all", "exact"), ("quantiles-once", "hist")])
def test_even_ties_are_broken_as_in_xgboost(seed, weight, candidates, method):
    """In the first round all rows of a class weigh the same, so that many splits gain the same."""
    data = pre_binned(small_data("breast_cancer", seed=seed))
    run = trained(Boosting(candidates=candidates, column_sample=1.0, trees=8, least_weight=weight), data)
    theirs = xgboost_confidences(data, 8, tree_method=method, min_child_weight=weight)
    assert held_out_loss(data, run.predict(data.test)) == pytest.approx(held_out_loss(data, theirs), rel=1e-4)


@pytest.mark.parametrize(
    "name", [pytest.param("iris"), *[pytest.param(name, marks=needs_data) for name in ("avila", "fars")]]
)
@pytest.mark.parametrize("weight", [0.0, 1.0, 5.0])
def test_shared_trees_are_those_of_xgboost_with_vectors_at_the_leaves(name, weight):
    data = pre_binned(small_data(name, parties=3))
    rounds = 4
    run = trained(
        Boosting(candidates="quantiles-once", column_sample=1.0, trees=rounds, least_weight=weight, gamma=0.5), data
    )
    theirs = xgboost_confidences(
        data,
        rounds,
        tree_method="hist",
        multi_strategy="multi_output_tree",
        min_child_weight=weight,
        gamma=0.5,
    )
    ours = run.predict(data.test)
    assert held_out_loss(data, ours) == pytest.approx(held_out_loss(data, theirs), rel=0.01)
    assert np.median(np.abs(ours - theirs)) < 1e-4


@pytest.mark.parametrize("candidates", ["all", "quantiles-once"])
def test_missing_values_follow_the_direction_xgboost_learns(candidates):
    rng = np.random.default_rng(0)

    def with_gaps(part):
        return np.where(rng.random(part.shape) < 0.2, np.nan, part).astype(np.float32)

    data = with_features(pre_binned(small_data("breast_cancer", parties=2)), with_gaps)
    # Where a node saw no gap in training, XGBoost's own methods disagree on the direction: training rows are compared.
    data = replace(data, test=data.train)
    run = trained(Boosting(candidates=candidates, column_sample=1.0, trees=6), data)
    theirs = xgboost_confidences(data, 6, tree_method="exact", min_child_weight=1)
    assert held_out_loss(data, run.predict(data.test)) == pytest.approx(held_out_loss(data, theirs), rel=0.01)


@pytest.mark.parametrize(
    "name", [pytest.param("breast_cancer"), *[pytest.param(n, marks=needs_data) for n in ("phishing", "avila")]]
)
def test_a_forest_is_as_good_as_bagged_trees(name):
    ours, theirs = [], []
    for seed in range(10):
        data = small_data(name, seed=seed)
        features, labels = whole(data), data.labels
        said = trained(Forest(release="ratios"), data, seed=seed).predict(data.test)
        ours.append(np.mean(said.argmax(axis=1) == labels[data.test]))
        peer = BaggingClassifier(
            DecisionTreeClassifier(max_depth=6),
            n_estimators=5,
            max_features=0.8,
            max_samples=0.8,
            bootstrap=False,
            random_state=seed,
        ).fit(features[data.train], labels[data.train])
        theirs.append(peer.score(features[data.test], labels[data.test]))
    assert np.mean(ours) == pytest.approx(np.mean(theirs), abs=0.01)


@pytest.mark.parametrize("depth", [1, 3])
def test_a_decision_tree_is_that_of_scikit_learn(depth):
    data = small_data("wine", parties=3)
    features, labels = whole(data), data.labels
    said = trained(DecisionTree(depth=depth, release="ratios"), data).predict(data.train)
    peer = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(features[data.train], labels[data.train])
    np.testing.assert_allclose(said, peer.predict_proba(features[data.train]), atol=1e-12)
