"""What must not matter does not: who holds which column, in which order rows come, how many threads there are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples import small_data, without_active_columns
from seepage.federations import FEDERATIONS
from seepage.federations.boosting import Boosting
from seepage.federations.decision_tree import DecisionTree
from seepage.federations.forest import Forest
from seepage.threads import kernel_threads
from tree_samples import split_table, trained, whole

KINDS = ["all", "quantiles-per-node", "quantiles-once"]
ALIKE = [
    DecisionTree(depth=2),  # class counts of small nodes tie, and then the first party wins
    DecisionTree(depth=2, candidates="quantiles-once"),
    Boosting(column_sample=1.0, trees=3, depth=3),
    Boosting(column_sample=1.0, trees=3, depth=3, candidates="quantiles-once"),
    Boosting(column_sample=1.0, trees=2, depth=3, multiclass="per-class", candidates="all"),
]


def some_table(seed, rows=300, columns=6, classes=3):
    """Columns of distinct values, so that no two candidates tie."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(rows, columns))
    labels = (features @ rng.normal(size=(columns, classes)) + rng.gumbel(size=(rows, classes))).argmax(axis=1)
    return features, np.concatenate((np.arange(classes), labels[classes:]))


@pytest.mark.parametrize("federation", ALIKE, ids=repr)
@pytest.mark.parametrize("parties", [2, 3, 5])
def test_it_does_not_matter_who_holds_which_column(federation, parties):
    features, labels = some_table(0)
    together = trained(federation, split_table(features, labels, parties=2, test=30))
    apart = trained(federation, split_table(features, labels, parties=parties, test=30))
    bare = trained(federation, split_table(features, labels, parties=parties, active_columns=False, test=30))
    rows = np.arange(300)
    np.testing.assert_allclose(apart.predict(rows), together.predict(rows), atol=1e-12)
    np.testing.assert_allclose(bare.predict(rows), together.predict(rows), atol=1e-12)


@pytest.mark.parametrize("federation", ALIKE, ids=repr)
def test_the_order_of_rows_does_not_matter(federation):
    features, labels = some_table(1)
    order = np.concatenate((np.random.default_rng(2).permutation(270), np.arange(270, 300)))
    plain = trained(federation, split_table(features, labels, test=30)).predict(np.arange(270, 300))
    moved = trained(federation, split_table(features[order], labels[order], test=30)).predict(np.arange(270, 300))
    np.testing.assert_allclose(plain, moved, atol=1e-12)


@pytest.mark.parametrize("candidates", KINDS)
def test_threads_do_not_matter(candidates):
    data = small_data("digits")
    federation = Boosting(candidates=candidates, trees=2)
    alone = trained(federation, data).predict(data.test)
    with kernel_threads(3):
        together = trained(federation, data).predict(data.test)
    np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize("name", ["decision-tree", "forest", "boosting"])
def test_one_seed_gives_one_answer(name):
    data = small_data("wine")
    first, second, other = (trained(FEDERATIONS[name](), data, seed=seed).predict(data.test) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, second)
    assert name == "decision-tree" or not np.array_equal(first, other)


@pytest.mark.parametrize("candidates", KINDS)
def test_few_values_give_the_same_candidates_however_they_are_chosen(candidates):
    rng = np.random.default_rng(0)
    features, labels = rng.integers(0, 5, size=(80, 4)), rng.integers(0, 2, size=80)
    data = split_table(features, labels)
    reference = trained(Boosting(candidates="all", column_sample=1.0), data).predict(data.train)
    same = trained(Boosting(candidates=candidates, column_sample=1.0), data).predict(data.train)
    np.testing.assert_allclose(same, reference, atol=1e-12)


@pytest.mark.parametrize("name", ["decision-tree", "forest", "boosting"])
def test_an_active_party_may_hold_no_columns(name):
    data = without_active_columns(small_data("breast_cancer", parties=3))
    said = trained(FEDERATIONS[name](), data).predict(data.test)
    assert np.mean(said.argmax(axis=1) == data.labels[data.test]) > 0.85
    np.testing.assert_allclose(said.sum(axis=1), 1)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), least=st.integers(1, 15), candidates=st.sampled_from(KINDS), gaps=st.booleans())
def test_no_child_has_fewer_rows_than_asked_for(seed, least, candidates, gaps):
    features, labels = some_table(seed, rows=60, columns=3)
    if gaps:
        features = np.where(np.random.default_rng(seed).random(features.shape) < 0.2, np.nan, features)
    run = trained(DecisionTree(candidates=candidates, least_rows=least, bins=7), split_table(features, labels))
    (tree,) = run.active.trees
    assert all(len(rows) >= least for node, rows in tree.rows.items() if node > 1)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), candidates=st.sampled_from(KINDS), gaps=st.booleans())
def test_rows_walk_to_the_leaf_they_were_trained_in(seed, candidates, gaps):
    features, labels = some_table(seed, rows=70, columns=4)
    if gaps:
        features = np.where(np.random.default_rng(seed).random(features.shape) < 0.3, np.nan, features)
    data = split_table(features, labels, parties=3)
    run = trained(Forest(trees=2, candidates=candidates, bins=9), data)
    for tree in run.active.trees:
        sample = run.active.material.train[tree.rows[1]]
        reached = run.active.leaves(tree, sample)
        for leaf in tree.leaves:
            np.testing.assert_array_equal(sample[reached == leaf], run.active.material.train[tree.rows[leaf]])


def test_a_duplicate_of_a_column_at_another_party_changes_no_prediction():
    features, labels = some_table(3)
    data = split_table(features, labels, parties=2, test=20)
    passive = data.parts["passive1"]
    doubled = replace(
        passive,
        features=np.ascontiguousarray(np.concatenate((passive.features, data.parts["active"].features), axis=1)),
        columns=(*passive.columns, "copy"),
    )
    more = replace(data, parts={**data.parts, "passive1": doubled})
    federation = DecisionTree(depth=3)
    np.testing.assert_allclose(
        trained(federation, data).predict(data.test), trained(federation, more).predict(data.test), atol=1e-12
    )
    assert whole(more).shape[1] > whole(data).shape[1]
