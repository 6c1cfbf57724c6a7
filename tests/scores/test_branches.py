"""The correct branching rate, against counting turns one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_trees import random_rows, random_tree
from seepage.guesses import Branches, BranchGuess
from seepage.scores.branches import forest_branching_rate, score_branches
from seepage.trees.paths import one_of, paths_to_leaves, reachable_leaves

SEEDS = st.integers(0, 2**32 - 1)


def guess_of(tree, rows, known, rng) -> tuple[BranchGuess, np.ndarray]:
    """A random guess among random candidates, and the true values of its targets."""
    paths = paths_to_leaves(tree, np.setdiff1d(np.arange(rows.shape[1]), known))
    thresholds = tree.threshold[paths.nodes].astype(np.float64)
    columns = tuple(("shop", str(column)) for column in tree.column[paths.nodes])
    branches = Branches(columns, thresholds, thresholds, tree.missing_left[paths.nodes], paths.turns)
    reachable = reachable_leaves(tree, known, rows[:, known])
    true = np.searchsorted(tree.leaves, tree.leaf_of(rows))
    candidates = reachable & (rng.random(reachable.shape) < 0.5)
    candidates[np.arange(len(rows)), true] = True
    guess = BranchGuess(
        np.arange(len(rows)), branches, one_of(candidates, rng), candidates, reachable, {"rows_withheld": 0.0}
    )
    return guess, rows[:, [int(name) for _, name in branches.targets]].astype(np.float64)


def turns_to(tree, leaf) -> list[tuple[int, bool]]:
    """The nodes above a leaf and whether its path goes left there."""
    parent = {
        int(c): (n, w) for n in range(len(tree.column)) for c, w in ((tree.left[n], True), (tree.right[n], False))
    }
    turns, node = [], int(leaf)
    while node != 0:
        node, left = parent[node]
        turns.append((node, left))
    return turns


def counted(tree, row, leaf, known) -> tuple[int, int]:
    """Right turns and turns at unknown columns on the way to a leaf."""
    asked = [(node, left) for node, left in turns_to(tree, leaf) if tree.column[node] not in known]
    return sum(bool(tree.goes_left(n, row[[tree.column[n]]])[0]) == left for n, left in asked), len(asked)


def naive_rate(tree, rows, leaves_of_row, known) -> float:
    """Pool over rows the mean of right turns over some leaves, over the mean of all turns."""
    right = turns = 0.0
    for row, leaves in zip(rows, leaves_of_row, strict=True):
        pairs = [counted(tree, row, leaf, known) for leaf in leaves]
        right += np.mean([one for one, _ in pairs])
        turns += np.mean([two for _, two in pairs])
    return right / turns if turns else 0.0


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_rates_are_those_of_counting_turns(seed):
    rng = np.random.default_rng(seed)
    tree, rows = random_tree(rng), random_rows(rng, 10, 4)
    known = np.flatnonzero(rng.random(4) < 0.5)
    guess, truth = guess_of(tree, rows, known, rng)
    scored = np.flatnonzero(rng.random(10) < 0.7)
    score = score_branches(guess, truth, scored)
    leaves, some = tree.leaves, rows[scored]
    own = set(known.tolist())
    assert score.value == pytest.approx(naive_rate(tree, some, leaves[guess.leaf[scored]][:, None], own))
    allowed = naive_rate(tree, some, [leaves[r] for r in guess.reachable[scored]], own)
    assert score.other["branching_rate_own_columns"] == pytest.approx(allowed)
    assert score.blind == pytest.approx(max(allowed, score.other["branching_rate_any_leaf"]))
    expected = naive_rate(tree, some, [leaves[c] for c in guess.candidates[scored]], own)
    assert score.other["branching_rate_expected"] == pytest.approx(expected)
    anywhere = naive_rate(tree, some, [leaves] * len(scored), own)
    assert score.other["branching_rate_any_leaf"] == pytest.approx(anywhere)
    found = leaves[guess.leaf[scored]] == tree.leaf_of(some) if len(scored) else np.zeros(0)
    assert score.other["leaf_found"] == pytest.approx(found.sum() / max(len(scored), 1))


@given(seed=SEEDS)
def test_the_true_path_takes_every_turn_rightly(seed):
    rng = np.random.default_rng(seed)
    tree, rows = random_tree(rng), random_rows(rng, 20, 4)
    guess, truth = guess_of(tree, rows, np.zeros(0, dtype=np.int64), rng)
    true = np.searchsorted(tree.leaves, tree.leaf_of(rows))
    perfect = BranchGuess(guess.rows, guess.branches, true, guess.candidates, guess.reachable)
    score = score_branches(perfect, truth, guess.rows)
    assert score.value == score.ceiling == score.other["leaf_found"] == 1.0


def test_the_mean_over_many_draws_is_the_expected_rate():
    rng = np.random.default_rng(0)
    tree, rows = random_tree(rng, depth=5), np.repeat(random_rows(rng, 20, 4), 2_000, axis=0)
    guess, truth = guess_of(tree, rows, np.array([0]), rng)
    allowed = BranchGuess(guess.rows, guess.branches, one_of(guess.reachable, rng), guess.reachable, guess.reachable)
    score = score_branches(allowed, truth, guess.rows)
    allowed = score.other["branching_rate_own_columns"]
    assert score.other["branching_rate_expected"] == pytest.approx(allowed)
    assert abs(score.value - allowed) < 0.01


def test_numbers_of_paths_are_stated():
    branches = Branches(
        (("shop", "visits"),), np.array([5.0]), np.array([0.5]), np.zeros(1, bool), np.array([[1], [-1]], dtype=np.int8)
    )
    candidates = np.array([[True, False], [True, True], [False, True]])
    every = np.ones((3, 2), dtype=bool)
    guess = BranchGuess(np.arange(3), branches, np.array([0, 1, 1]), candidates, every, {"rows_contradicted": 2.0})
    score = score_branches(guess, np.array([[4.0], [5.0], [6.0]]), np.arange(3))
    assert score.value == pytest.approx(2 / 3) and score.blind == 0.5
    assert score.blind_kind == "a leaf that own columns allow" and score.ceiling_kind == "the true path"
    assert score.other["branching_rate_expected"] == pytest.approx(2.5 / 3)
    assert score.other["paths_mean"] == pytest.approx(4 / 3) and score.other["paths_one"] == pytest.approx(2 / 3)
    assert score.other["rows_contradicted"] == 2.0
    assert score_branches(guess, np.array([[4.0], [5.0], [6.0]]), np.zeros(0, dtype=np.int64)).value == 0.0


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_the_rate_of_a_forest_is_that_of_walking_rows_one_by_one(seed):
    rng = np.random.default_rng(seed)
    trees, truth = [random_tree(rng) for _ in range(3)], random_rows(rng, 8, 4)
    unknown = np.flatnonzero(rng.random(4) < 0.5)
    guessed = truth.copy()
    guessed[:, unknown] = random_rows(rng, 8, len(unknown), missing=0.0)
    right = turns = 0
    for tree in trees:
        for ours, true in zip(guessed, truth, strict=True):
            node = 0
            while (column := int(tree.column[node])) >= 0:
                left = bool(tree.goes_left(node, ours[[column]])[0])
                if column in unknown:
                    right, turns = right + (left == bool(tree.goes_left(node, true[[column]])[0])), turns + 1
                node = int((tree.left if left else tree.right)[node])
    rate = forest_branching_rate(trees, unknown, guessed, truth)
    assert rate == pytest.approx(right / turns if turns else 0.0)


@given(seed=SEEDS)
def test_true_values_take_every_turn_of_a_forest_rightly(seed):
    rng = np.random.default_rng(seed)
    trees, truth = [random_tree(rng) for _ in range(3)], random_rows(rng, 10, 4)
    assert forest_branching_rate(trees, np.arange(4), truth, truth) == 1.0
