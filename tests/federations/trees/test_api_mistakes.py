"""What only a program can get wrong is refused before it does harm, or simply works."""

from dataclasses import replace

import numpy as np
import pytest

from seepage.defenses.trees.grafting import Grafting
from seepage.federations.boosting import Boosting
from seepage.federations.decision_tree import DecisionTree
from seepage.federations.forest import Forest
from seepage.hooks import Hooks, begin
from seepage.messages import Kind
from seepage.randomness import stream
from seepage.transcript import Recording
from seepage.views import ThreatModel, grant, observe
from tree_samples import split_table, trained, with_features

RNG = np.random.default_rng(0)
FEATURES = RNG.normal(size=(80, 4))
LABELS = (FEATURES[:, 0] + FEATURES[:, 1] > 0).astype(int)


def test_a_row_that_trains_twice_is_refused():
    data = split_table(FEATURES, LABELS)
    with pytest.raises(ValueError, match="some are named twice"):
        trained(DecisionTree(), data.training_on(np.concatenate((data.train, data.train[:3]))))


def test_infinite_values_are_refused():
    data = with_features(split_table(FEATURES, LABELS), lambda part: np.where(part > 1.5, np.inf, part))
    with pytest.raises(ValueError, match="infinite values"):
        trained(DecisionTree(), data)


def test_training_rows_in_any_order_are_the_same_rows():
    data = split_table(FEATURES, LABELS)
    shuffled = data.training_on(RNG.permutation(data.train))
    np.testing.assert_array_equal(
        trained(Boosting(), data).predict(data.train), trained(Boosting(), shuffled).predict(data.train)
    )


@pytest.mark.parametrize("candidates", ["all", "quantiles-once"])
def test_wide_numbers_walk_to_the_leaf_they_were_trained_in(candidates):
    fine = np.cumsum(RNG.random((80, 4)) * 1e-9, axis=0)
    data = split_table(FEATURES, LABELS)
    parts = {name: replace(part, features=fine[:, : part.width]) for name, part in data.parts.items()}
    run = trained(DecisionTree(candidates=candidates), replace(data, parts=parts))
    (tree,) = run.active.trees
    reached = run.active.leaves(tree, data.train)
    for leaf in tree.leaves:
        np.testing.assert_array_equal(data.train[reached == leaf], tree.rows[leaf])


@pytest.mark.parametrize("candidates", ["all", "quantiles-per-node", "quantiles-once"])
def test_gaps_that_training_never_saw_go_with_the_majority(candidates):
    column = np.concatenate((np.zeros(95), np.ones(5)))
    data = split_table(np.stack((column, column), axis=1), column.astype(int))
    gaps = with_features(data, lambda part: np.concatenate((part, [[np.nan]])).astype(np.float32))
    labels = np.append(column.astype(int), 0)
    active = replace(gaps.parts["active"], labels=labels)
    run = trained(DecisionTree(candidates=candidates), replace(gaps, parts={**gaps.parts, "active": active}))
    np.testing.assert_array_equal(run.predict(np.array([100])), [[1.0, 0.0]])


def test_parties_may_have_any_name():
    data = split_table(FEATURES, LABELS, parties=3)
    names = {"active": "bank", "passive1": "shop", "passive2": "shop, purity"}
    parts = {names[name]: replace(part, party=names[name]) for name, part in data.parts.items()}
    renamed = replace(data, parts=parts, active="bank")
    federation = Boosting(trees=2, candidates="quantiles-once")
    np.testing.assert_array_equal(
        trained(federation, data).predict(data.train), trained(federation, renamed).predict(data.train)
    )


def test_grafting_knows_classes_that_no_row_has():
    data = replace(split_table(FEATURES, LABELS), classes=("a", "b", "c"))
    data = replace(data, parts={name: replace(part, classes=3) for name, part in data.parts.items()})
    hooks = Hooks({p: begin(Grafting(epsilon=0.5), data.parts[p], stream(0, "defense", p)) for p in data.parties})
    assert trained(Forest(trees=2), data, hooks=hooks).predict(data.train).shape == (80, 3)


def test_numbers_that_stand_in_for_ciphertexts_are_not_for_reading():
    data = split_table(FEATURES, LABELS)
    run = trained(Boosting(trees=2), data, record=Recording.everything())
    view = observe(run.transcript, grant(data, ThreatModel(adversaries=("passive1",)), stream(0, "knowledge")))
    for message in view.messages:
        for key in {"statistics", "labels", "sums"} & set(message.payload):
            assert message.kind in {Kind.ENCRYPTED, Kind.SPLIT_SUMS, Kind.PURITY}
            assert not message.payload[key].any()


def test_margins_far_out_do_not_overflow():
    data = split_table(FEATURES, LABELS)
    assert np.isfinite(trained(Boosting(base_score=-800.0), data).predict(data.train)).all()
