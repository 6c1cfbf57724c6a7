"""Columns drawn for every split anew: by everybody alike, uniformly, and as scikit-learn's forest does."""

from math import comb

import numpy as np
import pytest
from scipy.stats import chisquare
from sklearn.ensemble import RandomForestClassifier

from samples import small_data
from seepage.attacks import ATTACKS
from seepage.attacks.steps.generation.differentiable_model import forest_says
from seepage.federations.forest import Forest
from seepage.federations.trees.split_draw import SplitDraw
from seepage.messages import Kind
from seepage.views.released import whole_trees
from trained_runs import EVERYTHING, released, seen
from tree_samples import split_table, trained, whole

KINDS = ["all", "quantiles-per-node", "quantiles-once"]


def holding(run):
    return {run.active.name: run.active.material.own, **{name: party.own for name, party in run.passive.items()}}


def used(run):
    """The columns of all parties that split any node."""
    return {(name, split.column) for name, own in holding(run).items() for split in own.splits.values()}


def split_numbers(run):
    """Tree and node of every split, and its column's number over all parties."""
    begin, numbers = 0, {}
    for own in holding(run).values():
        numbers |= {key: begin + split.column for key, split in own.splits.items()}
        begin += own.width
    return numbers


def test_parties_draw_one_sample_between_them():
    """Each knows its own part, and all parts together are as many as were wanted."""
    sizes, begins = (3, 0, 5, 2), (0, 3, 3, 8)
    parts = [SplitDraw(seed=7, wanted=4, total=10, begin=b, count=n) for b, n in zip(begins, sizes, strict=True)]
    for node in range(1, 200):
        drawn = [part.at((0, 3), node) for part in parts]
        assert [len(one) for one in drawn] == list(sizes)
        assert sum(int(one.sum()) for one in drawn) == 4


def test_a_root_is_split_by_the_best_of_the_columns_drawn():
    """With columns in a strict order of worth, that of rank r wins with C(d − r, k − 1) / C(d, k)."""
    rng, columns, drawn, trees = np.random.default_rng(0), 9, 3, 1500
    labels = rng.integers(0, 2, size=400)
    right = np.arange(columns) * 40  # column r tells so many labels wrong
    features = np.stack([np.where(np.arange(400) < wrong, 1 - labels, labels) for wrong in right // 2], axis=1)
    data = split_table(features, labels, parties=3)
    forest = Forest(trees=trees, depth=1, row_sample=1.0, column_sample=1.0, columns_per_split="sqrt")
    by_owner = split_numbers(trained(forest, data))
    dealt = [c for p in range(3) for c in range(p, columns, 3)]  # party by party, as columns were dealt in turn
    wins = np.bincount([dealt[number] for number in by_owner.values()], minlength=columns)
    expected = np.array([comb(columns - rank, drawn - 1) for rank in range(1, columns + 1)]) / comb(columns, drawn)
    assert wins.sum() == trees and not wins[columns - drawn + 1 :].any()
    possible = expected > 0
    assert chisquare(wins[possible], trees * expected[possible]).pvalue > 0.001


@pytest.mark.parametrize(("name", "candidates"), [("breast_cancer", "all"), ("digits", "quantiles-once")])
def test_as_many_columns_are_ever_used_as_in_scikit_learn(name, candidates):
    ours, theirs, without = [], [], []
    for seed in range(5):
        data = small_data(name, seed=seed, parties=3)
        settings = {"trees": 40, "depth": 3, "row_sample": 0.632, "column_sample": 1.0, "candidates": candidates}
        ours.append(len(used(trained(Forest(**settings, columns_per_split="sqrt"), data, seed=seed))))
        without.append(len(used(trained(Forest(**settings), data, seed=seed))))
        peer = RandomForestClassifier(n_estimators=40, max_depth=3, random_state=seed)
        peer.fit(whole(data)[data.train], data.labels[data.train])
        theirs.append(len({int(c) for tree in peer.estimators_ for c in tree.tree_.feature if c >= 0}))
    assert np.mean(ours) == pytest.approx(np.mean(theirs), rel=0.1)
    assert np.mean(without) < 0.8 * np.mean(ours)


@pytest.mark.parametrize("candidates", KINDS)
def test_every_split_lies_in_a_column_that_was_drawn_for_its_node(candidates):
    data = small_data("wine", parties=3)
    run = trained(Forest(trees=8, candidates=candidates, columns_per_split=0.3), data)
    for own in holding(run).values():
        assert own.draw is not None and own.draw.total == sum(one.in_tree for one in holding(run).values())
        by_tree = {}
        for (round_, tree, node), split in own.splits.items():
            by_tree.setdefault((round_, tree), []).append((node, split.column))
        for tree, splits in by_tree.items():
            for node in {node for node, _ in splits}:
                assert own.draw.at(tree, node).any()


@pytest.mark.parametrize("candidates", KINDS)
def test_columns_that_were_not_drawn_are_not_told_of(candidates):
    """Sums cross for the candidates of drawn columns alone."""
    features = np.random.default_rng(0).integers(0, 2, size=(120, 12))  # one candidate a column
    data = split_table(features, features[:, 0] ^ features[:, 1])
    forest = Forest(trees=5, depth=2, row_sample=1.0, column_sample=1.0, columns_per_split=0.25, candidates=candidates)
    run = trained(forest, data, record=EVERYTHING)
    draw = run.passive["passive1"].own.draw
    roots = {}
    for message in run.transcript.messages:
        if message.kind is Kind.SPLIT_SUMS:
            roots.setdefault(message.epoch, message.payload)
    assert len(roots) == 5
    for tree, told in roots.items():
        assert told["candidates"].tolist() == [int(draw.at((tree, 0), 1).sum())] == [len(told["sums"])]


def test_released_trees_and_what_reads_them_know_nothing_of_the_draw():
    """The active party puts together the very forest that was trained; who groups rows finds them grouped."""
    data = small_data("wine", parties=2)
    run = released(Forest(trees=12, columns_per_split="sqrt"), data)
    view = seen(run, data)
    said = forest_says(whole_trees(view), view.agreement.settings["release"], whole(data)[data.test])
    np.testing.assert_allclose(said, run.predict(data.test), atol=1e-12)
    for name, adversary in (("generative-regression", "active"), ("id2graph", "passive"), ("leaf-labels", "passive")):
        quick = {"steps": 3, "fade_steps": 3, "dummy_rows": 50, "surrogate_steps": 3, "restarts": 0}
        attack = ATTACKS[name](**quick if adversary == "active" else {})
        known = {"labels_per_class": 2} if name == "leaf-labels" else {}
        guess = attack.run(seen(run, data, adversary, **known), np.random.default_rng(0))
        assert len(guess.rows)


@pytest.mark.parametrize("candidates", KINDS)
def test_one_seed_draws_the_same_columns(candidates):
    data = small_data("breast_cancer", parties=3)
    forest = Forest(candidates=candidates, columns_per_split="sqrt")
    first, again, other = (split_numbers(trained(forest, data, seed=seed)) for seed in (4, 4, 5))
    assert first == again != other


@pytest.mark.parametrize("candidates", KINDS)
def test_all_columns_are_all_columns(candidates):
    """A share that rounds to all of them is the forest that draws nothing."""
    data = small_data("wine", parties=3)
    every = trained(Forest(candidates=candidates, columns_per_split=0.999, column_sample=1.0), data)
    plain = trained(Forest(candidates=candidates, column_sample=1.0), data)
    assert split_numbers(every) == split_numbers(plain)
    np.testing.assert_array_equal(every.predict(data.test), plain.predict(data.test))


@pytest.mark.parametrize("candidates", KINDS)
def test_missing_values_and_small_leaves_go_with_it(candidates):
    rng = np.random.default_rng(3)
    features = np.where(rng.random((300, 8)) < 0.2, np.nan, rng.normal(size=(300, 8)))
    data = split_table(features, np.nan_to_num(features[:, 0]) > 0, parties=3)
    run = trained(Forest(trees=4, candidates=candidates, least_rows=12, columns_per_split=0.3), data)
    assert all(len(rows) >= 12 for tree in run.active.trees for node, rows in tree.rows.items() if node > 1)
