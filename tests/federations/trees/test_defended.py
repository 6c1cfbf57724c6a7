"""What the tree defenses promise, seen from where the passive parties stand."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from samples import small_data, without_active_columns
from seepage.defenses.labels.label_dp import LabelDP
from seepage.defenses.trees.first_trees_alone import FirstTreesAlone
from seepage.defenses.trees.grafting import Grafting
from seepage.defenses.trees.purity_limit import PurityLimit
from seepage.errors import BadSetting
from seepage.federations import FEDERATIONS
from seepage.federations.boosting import Boosting
from seepage.federations.decision_tree import DecisionTree
from seepage.federations.forest import Forest
from seepage.mechanisms.purity import node_leakage
from seepage.messages import Kind
from seepage.transcript import Recording
from seepage.views.trees.instance_spaces import visible_nodes
from trained_runs import address, carried, guarded, seen
from tree_samples import split_table, trained

BAGGED = [DecisionTree(), Forest(trees=3), Forest(trees=2, candidates="quantiles-once")]
ALL = [*BAGGED, Boosting(trees=3), Boosting(trees=2, candidates="quantiles-once")]


def defended(federation, data, defense, seed=0):
    """Train under a defense and release predictions, recording everything."""
    run = trained(federation, data, hooks=guarded(defense, data, seed), record=Recording.everything(), seed=seed)
    run.release(data.test)
    return run


def seen_sets(run, data, adversaries):
    """Every set of rows that some passive parties know together, with what they can subtract."""
    nodes = visible_nodes(seen(run, data, *adversaries), "subtraction")
    return [rows for tree in nodes for rows in tree.sets]


def class_counts(data, sets):
    labels = data.labels
    return np.stack([np.bincount(labels[rows], minlength=len(data.classes)) for rows in sets])


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    limit=st.sampled_from([0.02, 0.1, 0.3]),
    which=st.integers(0, len(ALL) - 1),
    parties=st.integers(2, 4),
)
def test_every_node_that_passive_parties_see_keeps_the_purity_limit(seed, limit, which, parties):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(150, 8))
    labels = (features[:, :3].sum(axis=1) + 0.3 * rng.normal(size=150) > 0).astype(int) + (features[:, 4] > 1)
    data = split_table(features, np.concatenate(([0, 1, 2], labels[3:])), parties=parties)
    run = defended(ALL[which], data, PurityLimit(limit=limit))
    # A sample of rows can leak more than such a limit by itself; then nothing is shown at all.
    assume(any(message.kind is Kind.INSTANCE_SPACE for message in run.transcript.messages))
    overall = np.bincount(data.labels[data.train], minlength=3)
    for adversaries in ((data.passive[-1],), data.passive):
        counts = class_counts(data, seen_sets(run, data, adversaries))
        assert node_leakage(counts, overall).max() <= limit + 1e-12


@pytest.mark.parametrize("federation", ALL, ids=repr)
def test_the_purity_limit_bites_and_without_it_nodes_leak_more(federation):
    data = small_data("breast_cancer", parties=3)
    overall = np.bincount(data.labels[data.train])
    open_run = trained(federation, data, record=Recording.everything())
    free = node_leakage(class_counts(data, seen_sets(open_run, data, data.passive[-1:])), overall).max()
    run = defended(federation, data, PurityLimit(limit=0.3))
    held = node_leakage(class_counts(data, seen_sets(run, data, data.passive[-1:])), overall).max()
    assert held <= 0.3 < free


def test_under_the_limit_the_active_party_finishes_trees_alone():
    data = small_data("breast_cancer")
    run = defended(Forest(), data, PurityLimit(limit=0.2))
    hidden = [(tree, node) for tree in run.active.trees for node in tree.owners if node not in tree.shown]
    assert hidden
    assert all(tree.owners[node] == data.active for tree, node in hidden)
    said = run.predict(data.test)
    assert np.mean(said.argmax(axis=1) == data.labels[data.test]) > 0.85


def test_purities_are_asked_for_only_where_class_counts_are_not_known():
    data = small_data("breast_cancer")
    forest, boosting = (defended(f, data, PurityLimit(limit=0.3)) for f in (Forest(), Boosting()))
    assert not any(m.kind is Kind.PURITY for m in forest.transcript.messages)
    assert any(m.kind is Kind.PURITY for m in boosting.transcript.messages)
    assert boosting.traffic["purity"] > 0
    bare = trained(Boosting(), data, record=Recording.everything())
    assert not any(m.kind is Kind.PURITY for m in bare.transcript.messages)


def test_purities_are_one_vector_of_class_counts_for_each_candidate():
    """A quarter of what Algorithm 6 prints; with two classes, as many numbers as derivatives."""
    run = defended(Boosting(), small_data("breast_cancer"), PurityLimit(limit=0.3))
    assert run.traffic["purity"] == run.traffic["split-sums"] > 0


@given(seed=st.integers(0, 2**32 - 1))
def test_all_four_ratios_of_algorithm_6_follow_from_the_counts_left_of_a_candidate(seed):
    rng = np.random.default_rng(seed)
    labels, node = rng.integers(3, size=40), rng.random(40) < 0.6
    goes_left = node & (rng.random(40) < 0.5)
    assume(0 < goes_left.sum() < node.sum())
    left, total, overall = (np.bincount(labels[rows], minlength=3) for rows in (goes_left, node, node | True))
    for child, counts in ((goes_left, left), (node & ~goes_left, total - left)):
        for rows, derived in ((child, counts), (~child, overall - counts)):
            printed = [np.mean(labels[rows] == one) for one in range(3)]  # (1/|D|) Σ y_i^c, lines 6 and 7
            np.testing.assert_allclose(derived / derived.sum(), printed)


@pytest.mark.skipif(importlib.util.find_spec("heu") is None, reason="install seepage[he] to run under encryption")
@pytest.mark.parametrize("candidates", ["quantiles-once", "quantiles-per-node"])
def test_purities_under_encryption_are_those_of_the_clear(candidates):
    data = small_data("breast_cancer", parties=3)
    plain = Boosting(trees=2, depth=3, candidates=candidates, bins=8)
    secret = replace(plain, encryption="okamoto-uchiyama", key_bits=1024, insecure_key=True)
    clear, sealed = (defended(f, data, PurityLimit(limit=0.3)) for f in (plain, secret))
    for one, other in zip(clear.active.trees, sealed.active.trees, strict=True):
        assert (one.owners, one.shown) == (other.owners, other.shown)
    np.testing.assert_array_equal(clear.predict(data.test), sealed.predict(data.test))


def same_messages(one, other, among):
    """Say whether passive parties heard and said the same; released predictions are not theirs to hear in training."""
    first, second = (
        [m for m in run.transcript.messages if m.kind is not Kind.PREDICTION and {m.sender, m.receiver} & among]
        for run in (one, other)
    )
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        assert address(one) == address(other) and carried(one) == carried(other)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), which=st.integers(0, len(BAGGED) - 1), epsilon=st.sampled_from([0.3, 1.0, 3.0]))
def test_grafting_changes_nothing_that_passive_parties_see(seed, which, epsilon):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(120, 6))
    labels = (features.sum(axis=1) > 0).astype(int)
    data = split_table(features, labels, parties=3, test=20)
    noisy = defended(BAGGED[which], data, LabelDP(epsilon=epsilon), seed)
    grafted = defended(BAGGED[which], data, Grafting(epsilon=epsilon), seed)
    same_messages(noisy, grafted, set(data.passive))


def test_grafting_repairs_what_noise_has_broken():
    data = small_data("breast_cancer")
    worth = {LabelDP: [], Grafting: []}
    for seed in range(5):
        for made, found in worth.items():
            said = defended(Forest(), data, made(epsilon=0.5), seed).predict(data.test)
            found.append(np.mean(said.argmax(axis=1) == data.labels[data.test]))
    assert np.mean(worth[Grafting]) > np.mean(worth[LabelDP]) + 0.02


def test_grafting_without_columns_of_the_active_party():
    data = without_active_columns(small_data("breast_cancer"))
    said = defended(Forest(), data, Grafting(epsilon=1.0)).predict(data.test)
    np.testing.assert_allclose(said.sum(axis=1), 1)


@pytest.mark.parametrize("alone", [1, 2])
def test_the_first_trees_are_grown_without_a_word(alone):
    data = small_data("breast_cancer", parties=3)
    run = defended(Boosting(trees=3), data, FirstTreesAlone(trees=alone))
    spoken = {m.epoch for m in run.transcript.messages if m.kind in {Kind.INSTANCE_SPACE, Kind.ENCRYPTED}}
    assert spoken == set(range(alone, 3))
    for tree in run.active.trees[:alone]:
        assert set(tree.owners.values()) == {data.active}


def test_first_trees_alone_needs_columns_of_the_active_party():
    data = without_active_columns(small_data("breast_cancer"))
    with pytest.raises(BadSetting, match="column"):
        defended(Boosting(), data, FirstTreesAlone())


@pytest.mark.parametrize("name", ["decision-tree", "forest", "boosting"])
def test_less_of_a_budget_leaves_noisier_labels(name):
    data = small_data("breast_cancer")
    changed = []
    for epsilon in (0.1, 1.0, 4.0):
        run = defended(FEDERATIONS[name](), data, LabelDP(epsilon=epsilon))
        changed.append(np.mean(run.active.all_labels[data.train] != data.labels[data.train]))
    assert changed[0] > changed[1] > changed[2]
    np.testing.assert_array_equal(run.active.all_labels[data.test], data.labels[data.test])
