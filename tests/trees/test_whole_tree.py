"""Whole trees against scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from random_trees import random_rows, random_tree
from seepage.trees.whole_tree import WholeTree, pack_trees, unpack_trees


def converted(grown: DecisionTreeClassifier) -> WholeTree:
    """The same tree in our words; scikit-learn's thresholds are float64, its values float32."""
    tree = grown.tree_
    leaf = tree.children_left < 0
    below = tree.threshold.astype(np.float32)
    below = np.where(below > tree.threshold, np.nextafter(below, np.float32(-np.inf)), below)  # never round up
    return WholeTree(
        column=np.where(leaf, -1, tree.feature),
        threshold=below,
        missing_left=np.zeros(len(leaf), dtype=bool),
        left=tree.children_left,
        right=tree.children_right,
        values=np.where(leaf[:, None], tree.value[:, 0, :], 0.0),
        grafted=np.zeros(len(leaf), dtype=bool),
    )


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
@pytest.mark.parametrize("depth", [1, 4, None])
def test_rows_end_in_the_leaf_that_scikit_learn_says(load, depth):
    features, labels = load(return_X_y=True)
    features = features.astype(np.float32)
    grown = DecisionTreeClassifier(max_depth=depth, max_features=2, random_state=0).fit(features[::2], labels[::2])
    tree = converted(grown)
    leaf = tree.leaf_of(features)
    assert np.array_equal(leaf, grown.apply(features))
    assert np.array_equal(tree.labels[leaf], grown.predict(features))
    assert len(tree.leaves) == grown.get_n_leaves()


@given(seed=st.integers(0, 2**32 - 1))
def test_rows_end_where_a_walk_one_by_one_ends(seed):
    rng = np.random.default_rng(seed)
    tree, rows = random_tree(rng, grafted=0.3), random_rows(rng, 20, 4)
    for row, leaf in zip(rows, tree.leaf_of(rows), strict=True):
        node = 0
        while tree.column[node] >= 0:
            value = row[tree.column[node]]
            left = bool(tree.missing_left[node]) if np.isnan(value) else value <= tree.threshold[node]
            node = int((tree.left if left else tree.right)[node])
        assert node == leaf
        assert tree.labels[leaf] == (-1 if tree.grafted[leaf] else tree.values[leaf].argmax())


def test_a_tree_without_a_split_has_one_leaf():
    (tree,) = unpack_trees([pack_trees(["x"], {}, {(0, 0, 1): np.array([0.2, 0.8])})])
    assert tree.leaves.tolist() == [0]
    assert tree.leaf_of(np.array([[1.0], [np.nan]])).tolist() == [0, 0]


def test_a_tree_without_all_of_its_splits_is_refused():
    leaves = {(0, 0, 3): np.ones(1), (0, 0, 4): np.ones(1), (0, 0, 5): np.ones(1)}
    with pytest.raises(ValueError, match="every owner must release all of its splits"):
        unpack_trees([pack_trees(["x"], {(0, 0, 1): (0, 0.5, False)}, leaves)])


SPLIT = {(0, 0, 1): (0, 0.5, False)}
LEAVES = {(0, 0, 2): np.array([0.2, 0.8]), (0, 0, 3): np.array([1.0, 0.0])}


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ([pack_trees(["x"], {(0, 0, 1): (1, 0.5, False)}, LEAVES)], "column 1 of an owner who has 1"),
        ([pack_trees(["x"], {(0, 0, 1): (-1, 0.5, False)}, LEAVES)], "column -1 of an owner who has 1"),
        ([pack_trees(["x"], SPLIT, LEAVES), pack_trees(["y"], SPLIT)], "node 1 of a tree is given twice"),
        ([pack_trees(["x"], SPLIT, LEAVES), pack_trees([], {}, LEAVES)], "node 2 of a tree is given twice"),
        ([pack_trees(["x"], SPLIT, {**LEAVES, (0, 0, 1): np.ones(2)})], "as a split and as a leaf"),
        ([pack_trees(["x"], SPLIT, {**LEAVES, (0, 0, 8): np.ones(2)})], "node 8 of a tree hangs below no split"),
        ([pack_trees(["x"], SPLIT)], "nobody released the leaves of a tree"),
        ([pack_trees(["x"], SPLIT, {place: value[:1] for place, value in LEAVES.items()})], "1 classes instead of 2"),
        ([pack_trees(["x"], SPLIT, {**LEAVES, (0, 0, 2): np.full(2, np.nan)})], "what a leaf says is not a number"),
        ([{**pack_trees(["x"], SPLIT, LEAVES), "node": np.array([1, 1])}], "not all of the same length"),
    ],
)
def test_parts_that_make_no_tree_are_refused(parts, complaint):
    with pytest.raises(ValueError, match=complaint):
        unpack_trees(parts, classes=2)
