"""leaf-labels: where sets of rows tell labels, where they must not, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from seepage.attacks.labels.leaf_labels import LeafLabels, regressed_labels
from seepage.errors import IncompatibleView
from seepage.learners.logistic import probe
from seepage.messages import NETWORK_KINDS
from seepage.views import View
from seepage.views.trees.instance_spaces import row_sets
from tree_views import tree_view

LEARNERS = ("both", "spreading", "wide-spreading", "regression")


def rng(seed=0):
    return np.random.default_rng(seed)


def knowing(view, labels, per_class=2, classes=None):
    """Let the adversary know the labels of the first rows of each class."""
    labels = np.asarray(labels)
    classes = sorted(set(labels.tolist())) if classes is None else classes
    rows = np.concatenate([np.flatnonzero(labels == index)[:per_class] for index in classes])
    return replace(view, knowledge=replace(view.knowledge, known_rows=rows, known_labels=labels[rows]))


def right(guess, labels):
    return np.mean(guess.labels == np.asarray(labels)[guess.rows])


@pytest.mark.parametrize("learner", LEARNERS)
@given(classes=st.integers(2, 5), seed=st.integers(0, 2**32 - 1), per_class=st.integers(1, 4))
@settings(max_examples=15)
def test_leaves_of_one_class_each_give_every_label_away(learner, classes, seed, per_class):
    labels = rng(seed).permutation(np.arange(60) % classes)
    view = knowing(tree_view(labels, labels, classes=classes), labels, per_class)
    guess = LeafLabels(learner=learner).run(view, rng())
    assert right(guess, labels) == 1.0
    assert np.allclose(guess.scores.sum(axis=1), 1.0)
    assert not np.isin(guess.rows, view.knowledge.known_rows).any()


def test_leaves_that_have_nothing_to_do_with_classes_tell_nothing():
    labels = rng(5).permutation(np.arange(400) % 2)
    trees = [rng(tree).integers(4, size=400) for tree in range(3)]
    guess = LeafLabels().run(knowing(tree_view(*trees, columns=rng(2).normal(size=(400, 2))), labels, 4), rng())
    assert abs(right(guess, labels) - 0.5) < 0.1


def test_impure_leaves_of_several_trees_are_better_than_one():
    labels = np.arange(400) % 2
    trees = [np.where(rng(tree).random(400) < 0.8, labels, 1 - labels) for tree in range(7)]
    one, seven = (LeafLabels().run(knowing(tree_view(*part), labels, 4), rng()) for part in (trees[:1], trees))
    assert right(seven, labels) > right(one, labels) + 0.08


def test_labels_reach_rows_that_share_no_set_with_a_known_one():
    first = np.array([0, 0, 0, 1, 1, 1, -1, -1, -1, -1])
    second = np.array([-1, 0, 0, -1, 1, 1, 0, 0, 1, 1])
    labels = np.array([0, 0, 0, 1, 1, 1, 0, 0, 1, 1])
    view = knowing(tree_view(first, second), labels, per_class=1)
    assert right(LeafLabels(learner="spreading").run(view, rng()), labels) == 1.0
    assert right(LeafLabels(learner="regression").run(view, rng()), labels) < 1.0


def test_own_columns_decide_about_rows_in_no_set_and_these_are_counted():
    labels = np.repeat([0, 1], 30)
    columns = labels[:, None] + 0.1 * rng(1).normal(size=(60, 2))
    leaf = np.where(np.arange(60) % 30 < 20, labels, -1)
    guess = LeafLabels().run(knowing(tree_view(leaf, columns=columns), labels, 4), rng())
    assert right(guess, labels) == 1.0
    assert guess.notes == {"sets": 2.0, "rows_in_no_set": 20.0}
    assert set(guess.steps) == {"spreading", "regression"}


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_class_of_which_no_label_is_known_is_never_named(learner):
    labels = np.arange(90) % 3
    view = knowing(tree_view(labels, classes=3, columns=labels[:, None]), labels, classes=[0, 2])
    guess = LeafLabels(learner=learner).run(view, rng())
    assert set(guess.labels.tolist()) == {0, 2}
    assert np.all(guess.labels[labels[guess.rows] != 1] == labels[guess.rows][labels[guess.rows] != 1])


@pytest.mark.parametrize("learner", LEARNERS)
def test_with_labels_of_one_class_alone_every_row_is_of_that_class(learner):
    view = knowing(tree_view(np.arange(12) % 2), np.arange(12) % 2, classes=[1])
    assert set(LeafLabels(learner=learner).run(view, rng()).labels.tolist()) == {1}


def test_an_adversary_that_was_shown_nothing_has_what_its_blind_twin_has():
    labels = np.repeat([0, 1], 20)
    columns = (labels[:, None] + rng(1).normal(size=(40, 2))).astype(np.float32)
    view = knowing(tree_view([-1] * 40, columns=columns), labels, 3)
    for shown in (View(view.agreement, view.knowledge), knowing(tree_view([0] * 40, columns=columns), labels, 3)):
        guess = LeafLabels().run(shown, rng())
        known = view.knowledge.known_rows
        assert np.array_equal(guess.scores, probe(columns[known], labels[known], columns[guess.rows], 2))


def test_gaps_in_own_columns_are_filled():
    labels = np.repeat([0, 1], 20)
    columns = labels[:, None] + np.zeros((40, 2))
    columns[::3, 0] = np.nan
    for leaf in (labels, [0] * 40):
        guess = LeafLabels().run(knowing(tree_view(leaf, columns=columns), labels, 3), rng())
        assert right(guess, labels) == 1.0


def test_the_root_of_a_sampled_tree_is_no_hint():
    sample = np.where(rng(0).random(50) < 0.8, 0, -1)
    assert row_sets(tree_view(sample)).shape == (50, 0)
    assert row_sets(tree_view(sample, np.arange(50) % 2)).shape == (50, 2)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_regression_is_that_of_scikit_learn(classes):
    sets = csr_array(rng(1).integers(2, size=(30, 7)).astype(float))
    columns, known = rng(2).normal(size=(30, 2)), np.arange(12)
    labels = known % classes
    inputs = np.hstack((sets.toarray(), columns))
    expected = LogisticRegression().fit(inputs[known], labels).predict_proba(inputs)
    assert np.allclose(regressed_labels(sets, columns, known, labels, classes), expected, atol=1e-6)


def test_one_view_gives_one_answer_whatever_the_names_of_leaves():
    labels = np.arange(80) % 2
    trees = [rng(tree).integers(5, size=80) for tree in range(3)]
    one = LeafLabels().run(knowing(tree_view(*trees), labels), rng(1))
    two = LeafLabels().run(knowing(tree_view(*(4 - tree for tree in trees)), labels), rng(2))
    assert np.allclose(one.scores, two.scores, atol=1e-3)


def test_what_there_is_nothing_to_learn_from_is_refused():
    labels = np.arange(6) % 2
    with pytest.raises(IncompatibleView, match="No labelled rows are known"):
        LeafLabels().run(tree_view(labels), rng())
    with pytest.raises(IncompatibleView, match="All 6 training rows are labelled already"):
        LeafLabels().run(knowing(tree_view(labels), labels, 3), rng())
    with pytest.raises(IncompatibleView, match="'shop' was shown no set of rows and holds no columns"):
        LeafLabels().run(knowing(tree_view([0] * 6), labels), rng())
    networks = knowing(tree_view(labels), labels)
    networks = View(replace(networks.agreement, kinds=NETWORK_KINDS), networks.knowledge)
    with pytest.raises(IncompatibleView, match="received no instance-space messages"):
        LeafLabels().run(networks, rng())
