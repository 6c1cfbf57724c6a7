"""The plain ways to group rows: by own columns, by ever having shared a leaf, and by both."""

from dataclasses import replace

import numpy as np
import pytest

from seepage.attacks.labels.local_clustering import LocalClustering
from seepage.attacks.labels.union import Union
from seepage.attacks.labels.union_clustering import UnionClustering
from seepage.errors import IncompatibleView
from seepage.messages import NETWORK_KINDS
from seepage.scores import v_measure
from seepage.transcript import Agreement
from seepage.views import ThreatModel, View
from tree_views import tree_view

RNG = np.random.default_rng(0)
LABELS = np.array([0, 0, 0, 1, 1, 1])
COLUMNS = np.array([[0.0], [0.1], [0.2], [0.8], [0.9], [1.0]])


def test_pure_leaves_are_joined_to_the_classes():
    guess = Union().run(tree_view([0, 0, 1, 2, 2, 3], [0, 1, 1, 2, 3, 3]), RNG)
    assert v_measure(LABELS, guess.clusters) == pytest.approx(1.0)


def test_one_impure_leaf_joins_everything():
    assert set(Union().run(tree_view([0, 0, 0, 1, 1, 1], [0, 1, 2, 2, 3, 4]), RNG).clusters.tolist()) == {0}


def test_the_root_alone_is_one_cluster():
    assert len(set(Union().run(tree_view([0] * 6), RNG).clusters.tolist())) == 1


def test_a_tree_of_which_only_the_root_was_seen_joins_nobody():
    pure = [0, 0, 1, 2, 2, 3], [0, 1, 1, 2, 3, 3]
    alone, beside = (Union().run(tree_view(*trees), RNG).clusters for trees in (pure, (*pure, [7] * 6)))
    assert v_measure(LABELS, beside) == v_measure(LABELS, alone) == pytest.approx(1.0)
    alone, beside = (
        UnionClustering().run(tree_view(*trees, columns=np.zeros((6, 1))), RNG).clusters
        for trees in (pure, (*pure, [7] * 6))
    )
    assert v_measure(alone, beside) == pytest.approx(1.0)


def test_rows_in_no_leaf_are_one_group():
    assert Union().run(tree_view([0, 0, 1, -1, -1]), RNG).clusters.tolist() == [0, 0, 1, 4, 4]


def test_own_columns_alone_find_what_is_in_them_whatever_their_scale():
    wide = np.hstack((COLUMNS * 1e-6, np.full((6, 1), 5.0)))
    guess = LocalClustering().run(tree_view([0] * 6, columns=wide), RNG)
    assert v_measure(LABELS, guess.clusters) == pytest.approx(1.0)


def test_fewer_different_rows_than_classes_make_fewer_clusters():
    guess = LocalClustering().run(tree_view([0] * 6, columns=np.zeros((6, 2)), classes=4), RNG)
    assert set(guess.clusters.tolist()) == {0}
    nearly = np.array([[0.0], [1e-12], [2e-12], [3e-12], [1.0], [1.0]])
    assert len(set(LocalClustering().run(tree_view([0] * 6, columns=nearly, classes=4), RNG).clusters.tolist())) == 2


def test_components_help_where_columns_are_ambiguous_and_change_nothing_where_there_is_only_one():
    blurred = np.array([[0.0], [0.1], [0.55], [0.45], [0.9], [1.0]])
    alone = LocalClustering().run(tree_view([0] * 6, columns=blurred), RNG)
    helped = UnionClustering().run(tree_view([0, 0, 0, 1, 1, 1], columns=blurred), RNG)
    unhelped = UnionClustering().run(tree_view([0] * 6, columns=blurred), RNG)
    assert v_measure(LABELS, helped.clusters) == pytest.approx(1.0)
    assert v_measure(LABELS, alone.clusters) < 1
    assert v_measure(alone.clusters, unhelped.clusters) == pytest.approx(1.0)


def test_gaps_in_columns_are_filled():
    columns = COLUMNS.copy()
    columns[1] = np.nan
    assert len(LocalClustering().run(tree_view([0] * 6, columns=columns), RNG).clusters) == 6


@pytest.mark.parametrize("attack", [LocalClustering(), UnionClustering()])
def test_without_own_columns_there_is_nothing_to_cluster(attack):
    with pytest.raises(IncompatibleView, match="Columns of 'shop' for the training rows are not known"):
        attack.run(tree_view([0] * 6), RNG)


def test_an_adversary_that_was_shown_nothing_has_its_own_columns_and_no_groups():
    nothing = tree_view([-1] * 6, columns=COLUMNS)
    hidden = View(nothing.agreement, nothing.knowledge)
    assert len(set(Union().run(hidden, RNG).clusters.tolist())) == 1
    alone = LocalClustering().run(hidden, RNG)
    assert v_measure(alone.clusters, UnionClustering().run(hidden, RNG).clusters) == pytest.approx(1.0)


def test_under_a_federation_without_trees_there_is_nothing_to_see():
    view = tree_view([0] * 6, columns=COLUMNS)
    networks = View(replace(view.agreement, kinds=NETWORK_KINDS), view.knowledge)
    for attack in (Union(), UnionClustering()):
        with pytest.raises(IncompatibleView, match="received no instance-space messages"):
            attack.run(networks, RNG)


def test_own_columns_can_be_clustered_under_any_federation_but_not_by_the_holder_of_labels():
    terms = Agreement(federation="split-network", parties=("bank", "shop"), active="bank", classes=2, top_model=True,
                      outputs=2, kinds=NETWORK_KINDS)  # fmt: skip
    assert LocalClustering().needs.unmet(terms, ThreatModel(adversaries=("shop",))) is None
    assert LocalClustering().needs.unmet(terms, ThreatModel(adversaries=("bank",))) is not None
    assert "no instance-space messages" in str(Union().needs.unmet(terms, ThreatModel(adversaries=("shop",))))


def test_impossible_settings_are_refused_in_one_sentence():
    with pytest.raises(ValueError, match="alpha must be above 0 and finite, got -1"):
        UnionClustering(alpha=-1)
    with pytest.raises(ValueError, match="visibility must be one of"):
        Union(visibility="all")
