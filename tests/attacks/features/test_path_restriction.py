"""Path restriction, against the algorithm as printed and against enumerating every leaf."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trained_runs
from random_trees import random_rows, random_tree
from samples import small_data
from seepage.attacks.features.path_restriction import PathRestriction
from seepage.errors import IncompatibleView
from seepage.federations import FEDERATIONS
from seepage.messages import Kind
from seepage.partition import PartitionedTable
from seepage.trees.paths import paths_to_leaves, possible_leaves, reachable_leaves
from seepage.trees.whole_tree import pack_trees, unpack_trees
from seepage.views.released import whole_trees

SEEDS = st.integers(0, 2**32 - 1)
BANK = pack_trees(
    ["age", "income"],
    {(0, 0, 1): (0, 30.0, False), (0, 0, 4): (1, 3.0, False)},
    {(0, 0, leaf): np.eye(2)[label] for leaf, label in {5: 1, 6: 0, 7: 1, 8: 0, 9: 1}.items()},
)
FINTECH = pack_trees(["deposit", "shopping"], {(0, 0, 2): (0, 5.0, False), (0, 0, 3): (1, 6.0, False)})


def released(data: PartitionedTable, adversaries=("active",), hooks=None, **settings):
    """Train a tree, release it and its predictions, and look at them as the adversary does."""
    run = trained_runs.released(FEDERATIONS["decision-tree"](**settings), data, hooks=hooks)
    return trained_runs.seen(run, data, *adversaries)


def all_columns(data: PartitionedTable) -> np.ndarray:
    return np.concatenate([data.parts[party].features for party in data.parties], axis=1)


def algorithm_1(tree, row, known, label) -> tuple[dict[int, int], dict[int, int]]:
    """Lines 1 to 15 for one row, with the children's own numbers instead of 2i + 1 and 2i + 2."""
    beta, queue = dict.fromkeys(range(len(tree.column)), 0), [0]
    beta[0] = 1
    while queue:
        node = queue.pop(0)
        if tree.column[node] < 0:
            continue
        left, right = int(tree.left[node]), int(tree.right[node])
        if tree.column[node] in known:
            value = row[tree.column[node]]
            goes_left = bool(tree.missing_left[node]) if np.isnan(value) else value <= tree.threshold[node]
            beta[left], beta[right] = (beta[node], 0) if goes_left else (0, beta[node])
        else:
            beta[left] = beta[right] = beta[node]
        queue += [left, right]
    fits = {int(leaf): int(tree.grafted[leaf] or tree.values[leaf].argmax() == label) for leaf in tree.leaves}
    return beta, {node: fits.get(node, 0) for node in beta}


def contradictory(tree, leaf, unknown) -> bool:
    """Whether no value of some unknown column, nor its absence, takes all turns to a leaf."""
    parent = {int(c): (n, w) for n in range(len(tree.column)) for c, w in ((tree.left[n], 1), (tree.right[n], 0))}
    turns: dict[int, list[tuple[int, int]]] = {}
    node = int(leaf)
    while node != 0:
        node, went_left = parent[node]
        if tree.column[node] in unknown:
            turns.setdefault(int(tree.column[node]), []).append((node, went_left))
    tried = [*np.arange(0, 11) / 8, np.nan]
    return any(
        not any(
            all((bool(tree.missing_left[n]) if np.isnan(v) else v <= tree.threshold[n]) == w for n, w in asked)
            for v in tried
        )
        for asked in turns.values()
    )


def test_the_papers_example():
    """Example 2 and Fig. 2: five paths, two that own columns allow, one of class 1."""
    (tree,) = unpack_trees([BANK, FINTECH])
    row = np.array([25.0, 2.0, np.nan, np.nan])
    beta, alpha = algorithm_1(tree, row, {0, 1}, 1)
    drawn = range(15)  # the paper numbers a full tree of depth 3, from 0 on
    assert tuple(beta.get(node, 0) for node in drawn) == (1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)
    assert tuple(alpha.get(node, 0) for node in drawn) == (0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0)
    reachable = reachable_leaves(tree, np.array([0, 1]), row[None, :2])
    candidates, contradicted = PathRestriction().fitting(tree, reachable, np.array([[0.0, 1.0]]))
    assert len(tree.leaves) == 5
    assert tree.leaves[reachable[0]].tolist() == [4, 7]
    assert tree.leaves[candidates[0]].tolist() == [4]
    assert not contradicted.any()
    paths = paths_to_leaves(tree, np.array([2, 3]))
    deposit = paths.nodes.tolist().index(1)
    assert paths.turns[tree.leaves.tolist().index(4), deposit] == -1  # a deposit above 5


@settings(max_examples=80, deadline=None)
@given(seed=SEEDS, match=st.sampled_from(["class", "confidences"]))
def test_candidates_are_those_of_an_exhaustive_enumeration(seed, match):
    rng = np.random.default_rng(seed)
    tree, rows = random_tree(rng, grafted=0.2, depth=5), random_rows(rng, 12, 4)
    known = np.flatnonzero(rng.random(4) < 0.5)
    unknown = np.setdiff1d(np.arange(4), known)
    labels = rng.integers(3, size=12)
    reachable = reachable_leaves(tree, known, rows[:, known])
    reachable[:, ~possible_leaves(tree, paths_to_leaves(tree, unknown))] = False
    candidates, none = PathRestriction(match=match).fitting(tree, reachable, np.eye(3)[labels])
    dead = {int(leaf) for leaf in tree.leaves if contradictory(tree, leaf, set(unknown.tolist()))}
    for number, row in enumerate(rows):
        beta, alpha = algorithm_1(tree, row, set(known.tolist()), labels[number])
        allowed = [leaf for leaf in tree.leaves.tolist() if beta[leaf] and leaf not in dead]
        fitting = [leaf for leaf in allowed if alpha[leaf]]  # lines 16 and 17
        assert none[number] == (not fitting)
        assert tree.leaves[candidates[number]].tolist() == (fitting or allowed)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, digits=st.sampled_from([None, 0, 1, 2]), match=st.sampled_from(["class", "confidences"]))
def test_the_true_leaf_is_a_candidate_under_ratios_even_rounded_down(seed, digits, match):
    rng = np.random.default_rng(seed)
    tree, rows = random_tree(rng, grafted=0.2), random_rows(rng, 30, 4)
    known = np.flatnonzero(rng.random(4) < 0.5)
    leaf = tree.leaf_of(rows)
    said = np.where(tree.grafted[leaf][:, None], rng.dirichlet(np.ones(3), 30), tree.values[leaf])
    unit = 0.0 if digits is None else 10.0**-digits
    said = said if digits is None else np.floor(said / unit) * unit
    reachable = reachable_leaves(tree, known, rows[:, known])
    unknown = np.setdiff1d(np.arange(4), known)
    reachable[:, ~possible_leaves(tree, paths_to_leaves(tree, unknown))] = False
    candidates, none = PathRestriction(match=match).fitting(tree, reachable, said, votes=False, unit=unit)
    assert candidates[np.arange(30), np.searchsorted(tree.leaves, leaf)].all()
    assert not none.any()
    assert not (candidates & ~reachable).any()


def test_confidences_tell_leaves_of_one_class_apart():
    leaves = {(0, 0, 2): np.array([0.9, 0.1]), (0, 0, 3): np.array([0.6, 0.4])}
    (tree,) = unpack_trees([pack_trees(["x"], {(0, 0, 1): (0, 0.5, True)}, leaves)])
    both = np.ones((3, 2), dtype=bool)
    said = np.array([[0.9, 0.1], [0.6, 0.4], [0.55, 0.45]])  # the last was tampered with
    by_class, _ = PathRestriction().fitting(tree, both, said, votes=False)
    nearest, off = PathRestriction(match="confidences").fitting(tree, both, said, votes=False)
    assert by_class.all()
    assert nearest.tolist() == [[True, False], [False, True], [False, True]]
    assert off.tolist() == [False, False, True]


@pytest.mark.parametrize("name", ["wine", "breast_cancer"])
@pytest.mark.parametrize("adversaries", [("active",), ("active", "passive-2")])
@pytest.mark.parametrize(("release", "match"), [("votes", "class"), ("ratios", "class"), ("ratios", "confidences")])
def test_in_a_trained_federation_the_true_leaf_is_always_a_candidate(name, adversaries, release, match):
    data = small_data(name, parties=3)
    view = released(data, adversaries, release=release, depth=4)
    guess = PathRestriction(match=match).run(view, np.random.default_rng(0))
    (tree,) = whole_trees(view)
    true = np.searchsorted(tree.leaves, tree.leaf_of(all_columns(data)[guess.rows]))
    assert np.array_equal(guess.rows, np.sort(data.test))
    assert guess.candidates[np.arange(len(true)), true].all()
    assert guess.candidates[np.arange(len(true)), guess.leaf].all()
    assert guess.notes == {"rows_contradicted": 0.0, "rows_withheld": 0.0}
    assert_intervals_hold(data, guess, np.flatnonzero(guess.leaf == true))
    assert_intervals_hold(data, replace(guess, leaf=true), np.arange(len(true)))


def assert_intervals_hold(data, guess, rows) -> None:
    """True values lie in the intervals of the true path, up to rows outside the range of training rows."""
    assert len(rows)
    low, high = guess.intervals
    for number, (party, name) in enumerate(guess.branches.targets):
        part = data.parts[party]
        place = part.names.index(name)
        least, most = part.public.limits[place]
        units = (part.features[guess.rows[rows], place].astype(np.float64) - least) / (most - least)
        assert (low[rows, number] <= np.maximum(units, 0)).all() and (units.clip(0, 1) <= high[rows, number]).all()
    assert ((low >= 0) & (high <= 1) & (low < high)).all()


def test_grown_trees_ask_for_nothing_that_excludes_itself():
    for name in ("wine", "breast_cancer", "iris"):
        view = released(small_data(name), depth=8)
        (tree,) = whole_trees(view)
        assert possible_leaves(tree, paths_to_leaves(tree, np.arange(len(tree.column)))).all()


def test_missing_values_leave_the_true_leaf_among_the_candidates():
    data = small_data("breast_cancer")
    rng = np.random.default_rng(0)
    gaps = {
        party: replace(part, features=np.where(rng.random(part.features.shape) < 0.3, np.nan, part.features))
        for party, part in data.parts.items()
    }
    data = replace(data, parts=gaps)
    view = released(data)
    guess = PathRestriction().run(view, rng)
    (tree,) = whole_trees(view)
    true = np.searchsorted(tree.leaves, tree.leaf_of(all_columns(data)[guess.rows]))
    assert guess.candidates[np.arange(len(true)), true].all()


def test_rows_whose_prediction_was_withheld_keep_all_that_own_columns_allow():
    view = released(small_data("wine"))
    withheld = view.knowledge.new[:7]

    def without(message):
        kept = ~np.isin(message.rows, withheld)
        payload = {"confidence": message.payload["confidence"][kept]}
        return replace(message, rows=message.rows[kept], payload=payload)

    messages = tuple(without(m) if m.kind is Kind.PREDICTION else m for m in view.messages)
    for match in ("class", "confidences"):
        guess = PathRestriction(match=match).run(replace(view, messages=messages), np.random.default_rng(0))
        silent = np.isin(guess.rows, withheld)
        assert guess.notes["rows_withheld"] == 7
        assert np.array_equal(guess.candidates[silent], guess.reachable[silent])
        assert not np.array_equal(guess.candidates[~silent], guess.reachable[~silent])


def test_predictions_that_contradict_own_columns_are_counted_and_not_believed():
    view = released(small_data("breast_cancer", adversary=("active",), adversary_share=0.9))

    def turned(message):
        return replace(message, payload={"confidence": message.payload["confidence"][:, ::-1]})

    messages = tuple(turned(m) if m.kind is Kind.PREDICTION else m for m in view.messages)
    guess = PathRestriction().run(replace(view, messages=messages), np.random.default_rng(0))
    honest = PathRestriction().run(view, np.random.default_rng(0))
    assert guess.notes["rows_contradicted"] > 0
    same = (guess.candidates == guess.reachable).all(axis=1)
    assert np.count_nonzero(same) >= guess.notes["rows_contradicted"]
    assert np.array_equal(guess.reachable, honest.reachable)


def test_a_tree_of_own_columns_alone_is_refused():
    data = small_data("wine", adversary=("active",), adversary_share=0.9)
    bare = {
        party: part if party == "active" else replace(part, features=np.zeros_like(part.features))
        for party, part in data.parts.items()
    }
    with pytest.raises(IncompatibleView, match="never asks for a column of others"):
        PathRestriction().run(released(replace(data, parts=bare)), np.random.default_rng(0))


def test_an_unknown_way_to_match_is_refused():
    with pytest.raises(ValueError, match="match must be one of class, confidences, got 'leaf'"):
        PathRestriction(match="leaf")
