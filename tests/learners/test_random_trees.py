"""Random trees against scikit-learn's, and what no tree can know."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score

from seepage.learners.random_trees import voted


def test_they_tell_classes_apart_as_well_as_those_of_scikit_learn():
    columns, labels = load_breast_cancer(return_X_y=True)
    ours, theirs = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        order, some = rng.permutation(len(labels)), rng.permutation(30)[:8]
        learn, rest = order[:100], order[100:]
        names = labels[learn]
        inputs, others, sure = columns[np.ix_(learn, some)], columns[np.ix_(rest, some)], rng.uniform(0.5, 1, size=100)
        ours.append(roc_auc_score(labels[rest], voted(inputs, names, sure, others, 5, 20, rng)[:, 1]))
        model = ExtraTreesClassifier(20, min_samples_leaf=5, random_state=seed).fit(inputs, names, sure)
        theirs.append(roc_auc_score(labels[rest], model.predict_proba(others)[:, 1]))
    assert np.mean(ours) > np.mean(theirs) - 0.01


def test_what_is_said_adds_up_to_one_and_counts_how_sure_names_are():
    rng = np.random.default_rng(0)
    names, sure = np.repeat([0, 1, 2], 20), np.repeat([1.0, 1.0, 2.0], 20)
    said = voted(np.ones((60, 3)), names, sure, rng.normal(size=(7, 3)), 2, 4, rng)  # columns that tell nothing
    assert np.allclose(said, [0.25, 0.25, 0.5])
    said = voted(rng.normal(size=(60, 3)), names, sure, rng.normal(size=(7, 3)), 2, 4, rng)
    assert np.allclose(said.sum(axis=1), 1)


def test_a_leaf_holds_as_many_rows_as_are_asked_for():
    rng = np.random.default_rng(0)
    columns, names = np.arange(20.0)[:, None], np.arange(20) % 2
    assert np.allclose(voted(columns, names, np.ones(20), columns, 11, 3, rng), 0.5)
    shares = voted(columns, names, np.ones(20), columns, 3, 1, rng)[:, 0]
    assert np.unique(shares, return_counts=True)[1].min() >= 3
