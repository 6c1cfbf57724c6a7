"""Ways down a tree, against walking every way there is."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from random_trees import GRID, random_rows, random_tree
from seepage.trees.paths import asked_intervals, one_of, paths_to_leaves, possible_leaves, reachable_leaves

SEEDS = st.integers(0, 2**32 - 1)
EVERY_VALUE = [0.0, *GRID.tolist(), 2.0, float("nan")]
"""A value between any two thresholds, one beyond the last, and none at all."""


def dealt(rng, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Deal columns to an adversary and to others."""
    order, held = rng.permutation(columns), rng.integers(columns + 1)
    return np.sort(order[:held]), np.sort(order[held:])


def reached_with_some_value(tree, row, unknown) -> set[int]:
    """Every leaf that this row reaches under some values of the unknown columns."""
    tried = np.array(list(product(EVERY_VALUE, repeat=len(unknown))), dtype=np.float32)
    rows = np.repeat(row[None], len(tried), axis=0)
    rows[:, unknown] = tried
    return set(tree.leaf_of(rows).tolist())


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_leaves_are_reachable_exactly_when_some_values_lead_there(seed):
    rng = np.random.default_rng(seed)
    tree, rows = random_tree(rng, columns=3), random_rows(rng, 6, 3)
    known, unknown = dealt(rng, 3)
    reachable = reachable_leaves(tree, known, rows[:, known])
    reachable[:, ~possible_leaves(tree, paths_to_leaves(tree, unknown))] = False
    for row, found in zip(rows, reachable, strict=True):
        assert set(tree.leaves[found].tolist()) == reached_with_some_value(tree, row, unknown)


@given(seed=SEEDS)
def test_with_all_columns_known_one_leaf_is_left(seed):
    rng = np.random.default_rng(seed)
    tree, rows = random_tree(rng, depth=6), random_rows(rng, 20, 4)
    reachable = reachable_leaves(tree, np.arange(4), rows)
    assert (reachable.sum(axis=1) == 1).all()
    assert np.array_equal(tree.leaves[reachable.argmax(axis=1)], tree.leaf_of(rows))


@given(seed=SEEDS)
def test_the_turns_of_a_path_lead_to_its_leaf(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, depth=5)
    paths = paths_to_leaves(tree, np.arange(4))
    assert np.array_equal(paths.nodes, np.flatnonzero(tree.column >= 0))
    for leaf, turns in zip(tree.leaves, paths.turns, strict=True):
        ways, node, walked = dict(zip(paths.nodes.tolist(), turns.tolist(), strict=True)), 0, 0
        while tree.column[node] >= 0:
            node, walked = int((tree.left if ways[node] > 0 else tree.right)[node]), walked + 1
        assert node == leaf and walked == np.count_nonzero(turns)


@given(seed=SEEDS)
def test_nodes_of_other_columns_are_left_out_of_paths(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng)
    whole, some = paths_to_leaves(tree, np.arange(4)), paths_to_leaves(tree, np.array([1, 3]))
    kept = np.isin(whole.nodes, some.nodes)
    assert np.array_equal(whole.turns[:, kept], some.turns)
    assert set(tree.column[some.nodes].tolist()) <= {1, 3}


@given(seed=SEEDS)
def test_the_interval_of_a_leaf_holds_every_value_that_came_there(seed):
    rng = np.random.default_rng(seed)
    tree, rows = random_tree(rng), random_rows(rng, 50, 4, missing=0.0)
    paths = paths_to_leaves(tree, np.arange(4))
    places = tree.column[paths.nodes]
    low, high = asked_intervals(paths.turns, places, tree.threshold[paths.nodes])
    leaf = np.searchsorted(tree.leaves, tree.leaf_of(rows))
    inside = rows[:, : low.shape[1]]
    assert ((low[leaf] < inside) & (inside <= high[leaf])).all()


def test_a_missing_value_may_take_turns_that_no_value_takes():
    from dataclasses import replace

    from seepage.trees.whole_tree import pack_trees, unpack_trees

    leaves = {(0, 0, leaf): np.ones(1) for leaf in (3, 4, 5)}
    (tree,) = unpack_trees([pack_trees(["x"], {(0, 0, 1): (0, 0.3, True), (0, 0, 2): (0, 0.5, False)}, leaves)])
    column = np.array([0])
    assert possible_leaves(tree, paths_to_leaves(tree, column)).tolist() == [True, True, True]
    assert tree.leaf_of(np.array([[np.nan]])).tolist() == [4]  # at most 0.3, then above 0.5
    strict = replace(tree, missing_left=np.zeros(5, dtype=bool))
    assert possible_leaves(strict, paths_to_leaves(strict, column)).tolist() == [True, True, False]


@given(seed=SEEDS)
def test_only_candidates_are_chosen(seed):
    rng = np.random.default_rng(seed)
    candidates = rng.random((30, 7)) < 0.3
    candidates[np.arange(30), rng.integers(7, size=30)] = True
    chosen = one_of(candidates, rng)
    assert candidates[np.arange(30), chosen].all()


def test_candidates_are_chosen_with_equal_chances():
    candidates = np.zeros((60_000, 6), dtype=bool)
    candidates[:, [1, 2, 5]] = True
    counts = np.bincount(one_of(candidates, np.random.default_rng(0)), minlength=6)
    assert counts[[0, 3, 4]].sum() == 0
    assert (np.abs(counts[[1, 2, 5]] - 20_000) < 5 * np.sqrt(20_000)).all()
