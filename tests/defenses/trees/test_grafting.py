"""Which nodes are repaired, with what, and that nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hand_made import own_part
from samples import small_data, without_active_columns
from seepage.defenses.labels.label_dp import LabelDP
from seepage.defenses.trees.grafting import Grafting, contaminated, repairs
from seepage.hooks import FinishedTree, Hook, begin


def drawn_tree(leaves, clean, noisy, depth):
    """Draw a tree by its leaves and their rows; inner nodes hold the rows of all leaves below."""
    rows = {}
    for leaf, own in leaves.items():
        for node in (leaf >> up for up in range(leaf.bit_length())):
            rows[node] = np.sort(np.concatenate([rows.get(node, np.zeros(0, dtype=np.int64)), own]))
    tree = FinishedTree(depth=depth, rows=rows, leaves=frozenset(leaves), labels=np.asarray(noisy))
    return tree, np.asarray(clean)


def rows_of(*numbers):
    return np.array(numbers, dtype=np.int64)


def owner(labels, features, train=None):
    return own_part("bank", features, labels=labels, train=train)


# by hand


def test_a_clean_tree_is_left_alone():
    leaves = {2: rows_of(0, 1), 3: rows_of(2, 3)}
    assert repairs(*drawn_tree(leaves, [0, 0, 1, 1], [0, 0, 1, 1], depth=1)) == []


def test_an_inner_node_that_is_clean_itself_is_split_again_when_a_child_is_contaminated():
    leaves = {2: rows_of(0, 1, 2), 3: rows_of(3, 4)}
    assert repairs(*drawn_tree(leaves, clean=[0, 0, 0, 1, 1], noisy=[0, 0, 0, 0, 0], depth=1)) == [1]


def test_contamination_climbs_until_a_clean_node_is_found():
    leaves = {2: rows_of(0, 1, 2, 3, 4), 6: rows_of(5, 6), 14: rows_of(7), 15: rows_of(8)}
    clean = [0, 0, 0, 0, 0, 0, 0, 1, 1]
    # 14 and 15 are contaminated, so is 7; 3 holds 0, 0, 1, 1 and 0, 0, 0, 0: clean by the lowest class, split again
    assert repairs(*drawn_tree(leaves, clean, [0] * 9, depth=3)) == [3]


def test_where_the_root_is_contaminated_too_nothing_is_repaired():
    leaves = {2: rows_of(0), 6: rows_of(1, 2), 7: rows_of(3, 4)}
    assert repairs(*drawn_tree(leaves, clean=[0, 1, 1, 1, 1], noisy=[0, 0, 0, 0, 0], depth=2)) == []


def test_a_repaired_node_is_clean_so_its_parent_is_not_touched_for_it():
    leaves = {4: rows_of(0, 1, 2), 5: rows_of(3), 3: rows_of(4, 5, 6, 7)}
    clean, noisy = [0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1]
    assert repairs(*drawn_tree(leaves, clean, noisy, depth=2)) == [2]


def test_of_repairs_inside_each_other_the_highest_is_kept():
    leaves = {4: rows_of(0, 1, 2), 5: rows_of(3), 3: rows_of(4, 5)}
    clean, noisy = [0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0]  # 5 makes 2 be repaired, 3 the root
    assert repairs(*drawn_tree(leaves, clean, noisy, depth=2)) == [1]


def test_an_inner_node_whose_children_are_clean_is_not_even_looked_at():
    leaves = {2: rows_of(0, 1, 2), 3: rows_of(3, 4, 5)}
    tree, clean = drawn_tree(leaves, clean=[0, 0, 1, 1, 1, 0], noisy=[0, 0, 0, 1, 1, 1], depth=1)
    assert repairs(tree, clean) == []
    tied = drawn_tree(leaves, clean=[0, 0, 0, 0, 1, 1], noisy=[0, 0, 1, 1, 1, 1], depth=1)
    assert contaminated(tied[0].rows[1], tied[0].labels, tied[1])  # the root is, but nobody asks
    assert repairs(*tied) == []


def test_among_equally_frequent_classes_the_lowest_number_counts():
    rows = rows_of(0, 1)
    assert not contaminated(rows, noisy=np.array([0, 0]), clean=np.array([1, 0]))
    assert contaminated(rows, noisy=np.array([1, 1]), clean=np.array([1, 0]))


def test_a_tree_that_is_one_leaf_has_nothing_to_split_again():
    assert repairs(*drawn_tree({1: rows_of(0, 1)}, clean=[1, 1], noisy=[0, 0], depth=4)) == []


# by another road


@st.composite
def random_trees(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    depth, classes = draw(st.integers(1, 4)), draw(st.integers(2, 3))
    clean = rng.integers(classes, size=40)
    noisy = np.where(rng.random(40) < draw(st.floats(0, 1)), rng.integers(classes, size=40), clean)
    leaves = {}

    def grow(node, rows):
        if node.bit_length() - 1 == depth or len(rows) < 2 or rng.random() < 0.15:
            leaves[node] = rows
            return
        left = rng.random(len(rows)) < 0.5
        left[:2] = [True, False]
        grow(2 * node, rows[left])
        grow(2 * node + 1, rows[~left])

    grow(1, np.arange(40))
    return drawn_tree(leaves, clean, noisy, depth)


def walked(tree, clean):
    """Algorithm 4 as it is written, node by node, on nested dictionaries."""

    def check(node):
        def majority(labels):
            counts = [labels[node["rows"]].tolist().count(number) for number in range(10)]
            return counts.index(max(counts))

        return majority(tree.labels) != majority(clean)

    def build(number):
        children = [] if number in tree.leaves else [build(2 * number), build(2 * number + 1)]
        return {"number": number, "rows": tree.rows[number], "children": children, "contaminated": False, "new": False}

    def graft(node):
        if not node["children"]:
            node["contaminated"] = check(node)
            return
        for child in node["children"]:
            graft(child)
        if any(child["contaminated"] for child in node["children"]):
            if check(node):
                node["contaminated"] = True
            else:
                node["children"], node["new"] = [], True

    def found(node):
        own = [node["number"]] if node["new"] else []
        return own + [number for child in node["children"] for number in found(child)]

    root = build(1)
    graft(root)
    return sorted(found(root))


@settings(max_examples=200)
@given(drawn=random_trees())
def test_the_nodes_repaired_are_those_of_the_recursive_algorithm(drawn):
    assert repairs(*drawn) == walked(*drawn)


# in a run


def test_labels_are_noised_exactly_as_by_label_dp():
    part = small_data("digits").parts["active"]
    for settings_ in ({"epsilon": 0.5}, {"epsilon": 2.0, "stages": 3}):
        ours = begin(Grafting(**settings_), part, np.random.default_rng(4)).labels(part.labels)
        theirs = begin(LabelDP(**settings_), part, np.random.default_rng(4)).labels(part.labels)
        assert np.array_equal(ours, theirs)


def test_a_graft_learns_true_labels_from_own_columns_within_the_remaining_depth():
    features = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [3.4]])
    clean = np.array([0, 0, 0, 1, 1, 2, 2, 0, 2])
    leaves = {2: rows_of(7), 12: rows_of(0, 1, 2), 13: rows_of(3, 4), 7: rows_of(5, 6)}
    tree, _ = drawn_tree(leaves, clean, np.where(clean == 1, 0, clean), depth=3)
    assert repairs(tree, clean) == [6]
    hook = Grafting().start(owner(clean, features, train=np.arange(8)), np.random.default_rng(0))
    repaired = hook.finished_tree(tree)
    (graft,) = repaired.grafts.values()
    assert graft.tree.get_depth() == 1
    assert graft(np.array([0, 8, 4])).tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]  # node 6 never met class 2
    assert graft(np.zeros(0, dtype=np.int64)).shape == (0, 3)
    assert tree.grafts == {} and replace(repaired, grafts={}).rows is tree.rows
    assert repaired.leaves == tree.leaves and repaired.labels is tree.labels


@pytest.mark.parametrize(("depth", "remaining"), [(2, 1), (3, 2), (5, 4)])
def test_a_graft_grows_no_deeper_than_the_tree_may(depth, remaining):
    rng = np.random.default_rng(0)
    features, clean = rng.normal(size=(200, 4)), rng.integers(2, size=200)
    clean[:150], clean[180:] = 0, 1  # node 3 holds rows from 100: mostly 0; its right child is all 1
    leaves = {2: np.arange(100), 6: np.arange(100, 180), 7: np.arange(180, 200)}
    tree, _ = drawn_tree(leaves, clean, np.where(np.arange(200) < 180, clean, 0), depth)
    grafts = Grafting().start(owner(clean, features), np.random.default_rng(0)).finished_tree(tree).grafts
    assert [graft.tree.get_depth() for graft in grafts.values()] == [remaining]
    assert list(grafts) == [3]


def test_without_own_columns_a_graft_is_a_leaf_of_true_class_ratios():
    data = without_active_columns(small_data("iris"))
    part = data.parts["active"]
    assert set(part.labels) == {0, 1, 2}
    zeros, ones = np.flatnonzero(part.labels == 0)[:6], np.flatnonzero(part.labels == 1)[:2]
    rows = {1: np.concatenate([zeros, ones]), 2: zeros, 3: ones}
    tree = FinishedTree(depth=1, rows=rows, leaves=frozenset({2, 3}), labels=np.zeros_like(part.labels))
    (graft,) = Grafting().start(part, np.random.default_rng(0)).finished_tree(tree).grafts.values()
    assert graft(np.array([0, 149])).tolist() == [[0.75, 0.25, 0.0]] * 2


def test_repairs_do_not_depend_on_when_they_are_asked_for():
    part = small_data("breast_cancer").parts["active"]
    common, rare = (part.train[part.labels[part.train] == number] for number in (1, 0))
    rows = {1: part.train, 2: common, 3: rare}
    tree = FinishedTree(depth=4, rows=rows, leaves=frozenset({2, 3}), labels=np.ones_like(part.labels))
    early, late = (Grafting(epsilon=0.3).start(part, np.random.default_rng(1)) for _ in range(2))
    late.labels(part.labels)
    first, second = early.finished_tree(tree).grafts, late.finished_tree(tree).grafts
    assert list(first) == list(second) == [1]
    assert np.array_equal(first[1](part.train), second[1](part.train))


def test_a_passive_party_repairs_nothing():
    assert Grafting().start(small_data("iris").parts["passive"], np.random.default_rng(0)) == Hook()
