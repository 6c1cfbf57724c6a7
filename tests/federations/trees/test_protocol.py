"""Who says what to whom, and what nobody ever says."""

from collections import Counter

import numpy as np
import pytest

from samples import small_data
from seepage.errors import AuditError, BadSetting
from seepage.federations import FEDERATIONS
from seepage.federations.boosting import Boosting
from seepage.federations.decision_tree import DecisionTree
from seepage.federations.forest import Forest
from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.transcript import Recording
from tree_samples import split_table, trained

TREES = ["decision-tree", "forest", "boosting"]


def everything(federation, data):
    run = trained(federation, data, record=Recording.everything())
    run.release(data.test)
    return run


def of_kind(run, kind):
    return [message for message in run.transcript.messages if message.kind is kind]


@pytest.mark.parametrize("name", TREES)
def test_no_threshold_and_no_name_ever_crosses(name):
    data = small_data("breast_cancer", parties=3)
    run = everything(FEDERATIONS[name](), data)
    for message in run.transcript.messages:
        for key, array in message.payload.items():
            assert array.dtype.kind in "iub" or (message.kind is Kind.PREDICTION and key == "confidence")
    assert all(party.own.splits for party in run.passive.values())


@pytest.mark.parametrize("name", TREES)
def test_one_request_for_each_level_and_party(name):
    federation = FEDERATIONS[name](depth=4)
    run = everything(federation, small_data("breast_cancer", parties=3))
    asked = Counter((m.epoch, m.receiver) for m in of_kind(run, Kind.INSTANCE_SPACE))
    assert {party for _, party in asked} == {"passive-1", "passive-2"}
    assert max(asked.values()) <= 4
    assert len(of_kind(run, Kind.SPLIT_SUMS)) == sum(asked.values())
    choices = Counter((m.epoch, m.receiver) for m in of_kind(run, Kind.SPLIT_CHOICE))
    assert all(count <= 4 for count in choices.values())


def test_only_the_owner_of_a_split_learns_that_it_was_chosen():
    data = small_data("breast_cancer", parties=3)
    run = everything(DecisionTree(), data)
    (tree,) = run.active.trees
    told = {(m.receiver, int(node)) for m in of_kind(run, Kind.SPLIT_CHOICE) for node in m.payload["node"]}
    assert told == {(owner, node) for node, owner in tree.owners.items() if owner != data.active}
    for party in run.passive.values():
        assert {node for _, _, node in party.own.splits} == {n for n, o in tree.owners.items() if o == party.name}


def test_the_children_that_come_back_are_those_of_the_tree():
    data = small_data("breast_cancer")
    run = everything(DecisionTree(), data)
    (tree,) = run.active.trees
    for message in of_kind(run, Kind.CHILD_SPACES):
        for node in np.unique(message.payload["node"]):
            here = message.payload["node"] == node
            left = message.rows[here & message.payload["left"]]
            np.testing.assert_array_equal(np.sort(left), np.sort(run.active.material.train[tree.rows[2 * node]]))


def test_leaves_and_pure_nodes_are_not_sent():
    run = everything(DecisionTree(depth=3), small_data("breast_cancer"))
    (tree,) = run.active.trees
    sent = {int(node) for m in of_kind(run, Kind.INSTANCE_SPACE) for node in np.unique(m.payload["node"])}
    assert sent <= tree.shown
    assert all(node < 2**3 for node in sent)
    for node in sent:
        assert len(np.unique(run.active.material.labels[tree.rows[node]])) > 1


def test_prediction_asks_for_directions_of_the_rows_that_reach_a_node_and_nothing_else():
    data = small_data("breast_cancer", parties=3)
    run = everything(Forest(trees=2), data)
    asked = [m for m in of_kind(run, Kind.DIRECTION) if m.sender == data.active]
    assert asked and all(m.epoch == OUTSIDE_TRAINING for m in asked)
    for message in asked:
        tree = run.active.trees[int(message.payload["round"][0])]
        reached = run.active.leaves(tree, message.rows)
        for leaf, node in zip(reached.tolist(), message.payload["node"].tolist(), strict=True):
            assert leaf >> (leaf.bit_length() - node.bit_length()) == node
            assert tree.owners[node] == message.receiver


def test_labels_are_sealed_once_for_a_forest_and_derivatives_in_every_round():
    data = small_data("breast_cancer", parties=3)
    assert len(of_kind(everything(Forest(trees=3), data), Kind.ENCRYPTED)) == 2
    assert len(of_kind(everything(Boosting(trees=3), data), Kind.ENCRYPTED)) == 2 * 3


def test_ciphertexts_are_counted_by_kind_of_message():
    data = small_data("breast_cancer", parties=3)
    run = everything(Boosting(trees=2, candidates="quantiles-once"), data)
    for kind in (Kind.ENCRYPTED, Kind.SPLIT_SUMS):
        key = "sums" if kind is Kind.SPLIT_SUMS else "statistics"
        assert run.traffic[kind.value] == sum(m.payload[key].size for m in of_kind(run, kind))


@pytest.mark.parametrize("name", TREES)
def test_only_columns_that_were_drawn_are_split(name):
    features = np.random.default_rng(0).normal(size=(200, 20))
    data = split_table(features, features[:, 0] > 0)
    share = {} if name == "decision-tree" else {"column_sample": 0.3}
    run = trained(FEDERATIONS[name](**share), data)
    for own in (run.active.material.own, *(party.own for party in run.passive.values())):
        for tree in {key[:2] for key in own.splits}:
            used = {split.column for key, split in own.splits.items() if key[:2] == tree}
            assert len(used) <= (10 if name == "decision-tree" else 3)


def test_each_tree_of_a_forest_is_grown_on_its_share_of_rows_without_repeats():
    data = small_data("breast_cancer")
    for tree in trained(Forest(row_sample=0.5), data).active.trees:
        rows = tree.rows[1]
        assert len(rows) == round(0.5 * len(data.train)) == len(np.unique(rows))


def test_parties_refuse_what_they_do_not_know():
    run = trained(DecisionTree(), small_data("iris"))
    nothing = Message(Kind.EMBEDDING, "active", "passive", 0, 0, np.arange(2), {})
    for party in run.parties.values():
        with pytest.raises(AuditError, match="embedding"):
            party.answer(nothing)


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"depth": 0}, "depth must be between 1 and 30, got 0"),
        ({"depth": 31}, "depth must be between 1 and 30, got 31"),
        ({"bins": 1}, "bins must be between 2 and 60000, got 1"),
        ({"bins": 100_000}, "bins must be between 2 and 60000, got 100000"),
        ({"least_rows": 0}, "least_rows must be 1 or more, got 0"),
        ({"encryption": "paillier", "key_bits": 2050}, "multiple of 64"),
        ({"encryption": "paillier", "key_bits": 1024}, "2048 or more"),
    ],
)
def test_impossible_trees_are_refused(name, settings, said):
    with pytest.raises(ValueError, match=said):
        FEDERATIONS[name](**settings)


@pytest.mark.parametrize(
    ("federation", "settings"),
    [
        (Forest, {"trees": 0}),
        (Forest, {"row_sample": 0.0}),
        (Forest, {"column_sample": 1.5}),
        (Forest, {"columns_per_split": 0.0}),
        (Forest, {"columns_per_split": 1.5}),
        (Forest, {"columns_per_split": float("nan")}),
        (Boosting, {"trees": -1}),
        (Boosting, {"learning_rate": 0.0}),
        (Boosting, {"l2": -1.0}),
        (Boosting, {"gamma": -0.1}),
        (Boosting, {"least_weight": float("inf")}),
        (Boosting, {"base_score": float("nan")}),
    ],
)
def test_impossible_settings_name_what_was_found(federation, settings):
    ((name, value),) = settings.items()
    with pytest.raises(ValueError, match=rf"{name} must be .*got {value}"):
        federation(**settings)


def test_rows_of_one_class_are_refused():
    data = split_table(np.random.default_rng(0).normal(size=(20, 4)), [0] * 19 + [1], test=1)
    with pytest.raises(BadSetting, match="All 19 training rows are of one class"):
        DecisionTree().agreement(data)


def test_nobody_holding_columns_is_refused():
    data = split_table(np.zeros((4, 0)), [0, 1, 0, 1])
    with pytest.raises(BadSetting, match="No party holds a column"):
        Forest().agreement(data)


@pytest.mark.parametrize("candidates", ["all", "quantiles-per-node", "quantiles-once"])
def test_a_column_with_a_single_value_is_never_split(candidates):
    features = np.ones((40, 4))
    features[:, 3] = np.arange(40)
    data = split_table(features, np.arange(40) > 20)
    run = trained(DecisionTree(candidates=candidates), data)
    assert {split.column for split in run.passive["passive1"].own.splits.values()} == {1}
    assert not run.active.material.own.splits
    constant = trained(DecisionTree(candidates=candidates), split_table(np.ones((40, 4)), np.arange(40) > 20))
    assert constant.active.trees[0].leaves == {1}
