"""ID2Graph: where theory says it wins, where it must not, and where it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import homogeneity_score

from seepage.attacks.labels.id2graph import ID2Graph
from seepage.communities import Cliques
from seepage.errors import IncompatibleView
from seepage.messages import NETWORK_KINDS
from seepage.scores import v_measure
from seepage.views import View
from seepage.views.trees.instance_spaces import visible_leaves
from tree_views import tree_view

SEEDS = st.integers(0, 2**32 - 1)


def rng(seed=0):
    return np.random.default_rng(seed)


@given(classes=st.integers(2, 5), seed=SEEDS)
def test_leaves_of_one_class_each_give_every_group_away(classes, seed):
    labels = rng(seed).permutation(np.arange(60) % classes)
    view = tree_view(labels, labels, classes=classes, columns=rng(seed).normal(size=(60, 3)))
    guess = ID2Graph().run(view, rng(seed))
    assert v_measure(labels, guess.clusters) == pytest.approx(1.0)
    assert v_measure(labels, guess.steps["communities"]) == pytest.approx(1.0)


def test_chunks_of_pure_leaves_never_mix_classes():
    labels = rng(0).permutation(np.arange(300) % 3)
    found = communities(ID2Graph(chunk=20), tree_view(labels, labels, labels, classes=3))
    assert homogeneity_score(labels, found) == pytest.approx(1.0)
    whole = communities(ID2Graph(chunk=300), tree_view(labels, labels, labels, classes=3))
    assert v_measure(labels, whole) == pytest.approx(1.0)


def test_leaves_that_have_nothing_to_do_with_classes_tell_nothing():
    labels = np.arange(400) % 2
    view = tree_view(rng(1).integers(4, size=400), classes=2, columns=rng(2).normal(size=(400, 2)))
    assert v_measure(labels, ID2Graph().run(view, rng()).clusters) < 0.05


@given(seed=SEEDS)
def test_impure_leaves_of_several_trees_are_better_than_one(seed):
    labels = np.arange(200) % 2
    trees = [np.where(rng(seed + tree).random(200) < 0.8, labels, 1 - labels) for tree in range(7)]
    guesses = [ID2Graph().run(tree_view(*part), rng()).clusters for part in (trees[:1], trees)]
    assert v_measure(labels, guesses[1]) > v_measure(labels, guesses[0])


def naive_adjacency(leaves, weights):
    """Equation 1, letter by letter."""
    matrix = np.zeros((len(leaves[0]), len(leaves[0])))
    for leaf, weight in zip(leaves, weights, strict=True):
        for node in set(leaf.tolist()) - {-1}:
            for one in range(len(leaf)):
                for other in range(len(leaf)):
                    if one != other and leaf[one] == node and leaf[other] == node:
                        matrix[one, other] += weight
    return matrix


@given(seed=SEEDS, rows=st.integers(2, 12), eta=st.sampled_from([1.0, 0.6]))
def test_the_graph_is_that_of_equation_1(seed, rows, eta):
    drawn = rng(seed)
    view = tree_view(np.zeros(rows, dtype=np.int64), *(drawn.integers(-1, 3, size=rows) for _ in range(3)))
    trees = visible_leaves(view)
    weights = [eta ** (tree.round - trees[0].round) for tree in trees]
    graph = Cliques.of_leaves([tree.leaf for tree in trees], weights)
    matrix = naive_adjacency([tree.leaf for tree in trees], weights)
    assert np.allclose(graph.degrees, matrix.sum(axis=1))
    for labels in (drawn.integers(3, size=rows) for _ in range(5)):
        inside = labels[:, None] == labels
        total = matrix.sum()
        expected = np.sum((matrix - np.outer(matrix.sum(0), matrix.sum(1)) / total) * inside) / total if total else 0.0
        assert graph.modularity(labels) == pytest.approx(expected)


def conflicting():
    """Three trees of one opinion after one of another."""
    first, later = np.repeat([0, 1], 20), np.tile([0, 1], 20)
    return first, later


def communities(attack, view):
    return attack.run(view, rng()).steps["communities"]


def test_the_first_trees_count_most_where_eta_is_small():
    first, later = conflicting()
    view = tree_view(first, later, later)
    assert v_measure(first, communities(ID2Graph(eta=0.1), view)) == pytest.approx(1.0)
    assert v_measure(later, communities(ID2Graph(eta=1.0), view)) == pytest.approx(1.0)


def test_eta_is_0_6_under_boosting_and_1_otherwise():
    first, later = conflicting()
    trees = (first, later)  # of equal weight under a forest; the first counts more under boosting
    assert v_measure(first, communities(ID2Graph(), tree_view(*trees, federation="boosting"))) == pytest.approx(1.0)
    for federation in ("boosting", "forest"):
        view = tree_view(*trees, later, federation=federation)
        expected = 0.6 if federation == "boosting" else 1.0
        assert np.array_equal(communities(ID2Graph(), view), communities(ID2Graph(eta=expected), view))


def test_the_discount_starts_at_the_first_visible_round_and_is_one_for_all_trees_of_a_round():
    first, later = conflicting()
    early, late = (tree_view(first, later, federation="boosting", rounds=rounds) for rounds in ([0, 1], [700, 701]))
    assert np.array_equal(communities(ID2Graph(), early), communities(ID2Graph(), late))
    far = tree_view(first, later, federation="boosting", rounds=[0, 5000])  # weighs nothing any more
    assert v_measure(first, communities(ID2Graph(), far)) == pytest.approx(1.0)


@given(seed=SEEDS)
def test_names_of_leaves_and_the_order_of_rows_mean_nothing(seed):
    labels = np.repeat([0, 1, 2], 15)
    order = rng(seed).permutation(45)
    names = rng(seed).permutation(3)
    plain = ID2Graph().run(tree_view(labels, classes=3), rng()).clusters
    renamed = ID2Graph().run(tree_view(names[labels][order], classes=3), rng()).clusters
    assert v_measure(plain[order], renamed) == pytest.approx(1.0)


def test_own_columns_decide_where_leaves_are_silent():
    leaf = np.array([0, 0, -1, -1, 1, 1])
    columns = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    guess = ID2Graph(alpha=0.5).run(tree_view(leaf, columns=columns), rng())
    assert guess.clusters.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    assert len(set(guess.steps["communities"].tolist())) == 3  # rows in no leaf count as one group


def test_without_columns_the_dummies_are_clustered_alone():
    guess = ID2Graph().run(tree_view([0, 0, 1, 1]), rng())
    assert v_measure(np.array([0, 0, 1, 1]), guess.clusters) == pytest.approx(1.0)
    assert set(guess.steps) == {"communities"}


def test_a_tree_of_which_only_the_root_is_seen_leaves_the_own_columns():
    columns = np.array([[0.0], [0.1], [0.9], [1.0]])
    guess = ID2Graph().run(tree_view([0, 0, 0, 0], columns=columns), rng())
    assert v_measure(np.array([0, 0, 1, 1]), guess.clusters) == pytest.approx(1.0)


def test_communities_can_be_left_as_they_are_found():
    view = tree_view(*(rng(tree).integers(5, size=80) for tree in range(3)), columns=rng(9).normal(size=(80, 2)))
    guess = ID2Graph(clustering="communities").run(view, rng(3))
    assert np.array_equal(guess.clusters, ID2Graph().run(view, rng(3)).steps["communities"])
    assert guess.steps == {}


def test_one_seed_gives_one_answer():
    view = tree_view(*(rng(tree).integers(5, size=80) for tree in range(3)), columns=rng(9).normal(size=(80, 2)))
    for attack in (ID2Graph(), ID2Graph(chunk=4)):
        one, two = (attack.run(view, rng(3)) for _ in range(2))
        assert np.array_equal(one.clusters, two.clusters)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"eta": 0.0}, "eta must be above 0 and at most 1, got 0.0"),
        ({"eta": 1.5}, "eta must be above 0 and at most 1, got 1.5"),
        ({"eta": float("nan")}, "eta must be above 0"),
        ({"alpha": 0.0}, "alpha must be above 0 and finite, got 0.0"),
        ({"chunk": 1}, "chunk must be 2 or more, got 1"),
        ({"chunk_weight": -1.0}, "chunk_weight must be above 0 and finite, got -1.0"),
        ({"clustering": "guessing"}, "clustering must be one of k-means, communities, got 'guessing'"),
        ({"visibility": "xray"}, "visibility must be one of subtraction, literal, got 'xray'"),
    ],
)
def test_impossible_settings_are_refused_in_one_sentence(setting, sentence):
    with pytest.raises(ValueError, match=sentence):
        ID2Graph(**setting)


def test_an_adversary_that_was_shown_nothing_clusters_its_own_columns():
    view = tree_view([-1] * 4, columns=[[0.0], [0.1], [0.9], [1.0]])
    guess = ID2Graph().run(View(view.agreement, view.knowledge), rng())
    assert v_measure(guess.clusters, np.array([0, 0, 1, 1])) == pytest.approx(1.0)
    assert len(set(guess.steps["communities"].tolist())) == 1


def test_under_a_federation_without_trees_it_refuses():
    view = tree_view([-1] * 4)
    with pytest.raises(IncompatibleView, match="received no instance-space messages"):
        ID2Graph().run(View(replace(view.agreement, kinds=NETWORK_KINDS), view.knowledge), rng())


def test_trees_of_which_only_the_root_was_seen_do_not_lead_the_clustering_astray():
    """With row sampling a root is a random sample of rows; following it would look like protection."""
    labels = np.repeat([0, 1], 30)
    columns = labels[:, None] + 0.1 * rng(1).normal(size=(60, 2))
    samples = [np.where(rng(seed).random(60) < 0.8, 0, -1) for seed in range(5)]
    guess = ID2Graph().run(tree_view(*samples, columns=columns), rng())
    assert v_measure(labels, guess.clusters) == pytest.approx(1.0)


def test_rows_in_no_leaf_are_not_set_apart_by_having_none():
    labels = np.repeat([0, 1], 30)
    columns = labels[:, None] + 0.1 * rng(1).normal(size=(60, 2))
    leaf = np.where(rng(2).random(60) < 0.8, labels, -1)
    guess = ID2Graph().run(tree_view(leaf, columns=columns), rng())
    assert v_measure(labels, guess.clusters) == pytest.approx(1.0)
