"""What a party does follows from what it holds and from messages: there is no other road between parties."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples import small_data
from seepage.federations.boosting import Boosting
from seepage.federations.decision_tree import DecisionTree
from seepage.federations.forest import Forest
from seepage.federations.logistic_regression import LogisticRegression
from seepage.federations.split_network import SplitNetwork
from seepage.federations.summed_network import SummedNetwork
from seepage.hooks import Hook, Hooks, Tampering
from seepage.messages import Kind
from seepage.randomness import stream
from trained_runs import NOTHING, address, carried, trained

FEDERATIONS = [
    LogisticRegression(epochs=3), LogisticRegression(epochs=3, class_weights=True), SplitNetwork(epochs=1),
    SplitNetwork(epochs=1, class_weights=True), SummedNetwork(epochs=1, class_weights=True), DecisionTree(depth=3),
    Forest(trees=2, depth=3), Boosting(trees=2, depth=3),
]  # fmt: skip


def with_labels(data, labels):
    """The same table, had its rows other labels."""
    return replace(data, parts={**data.parts, data.active: replace(data.parts[data.active], labels=labels)})


def crossed(federation, data, hooks):
    """Everything that crossed in training and prediction, as plain values."""
    run = trained(federation, data, hooks=hooks)
    run.release(data.test)
    return [address(said) + carried(said) for said in run.transcript.messages]


@pytest.mark.parametrize("federation", FEDERATIONS, ids=repr)
def test_labels_that_a_hook_replaces_leave_no_trace(federation):
    data = small_data("wine", parties=3)
    trained_on = stream(1, "test").permutation(data.labels)
    hooks = Hooks({data.active: Hook(labels=lambda _: trained_on)})
    first = crossed(federation, data, hooks)
    for labels in (1 - np.minimum(data.labels, 1), stream(2, "test").permutation(data.labels)):
        assert crossed(federation, with_labels(data, labels), hooks) == first
    assert len(first) > 4


@pytest.mark.parametrize("federation", FEDERATIONS, ids=repr)
def test_columns_that_a_hook_replaces_leave_no_trace(federation):
    data = small_data("wine", parties=3)
    owner = data.passive[0]
    part = data.parts[owner]
    shown = replace(part, features=stream(1, "test").permutation(part.features))
    hooks = Hooks({owner: Hook(table=lambda _: shown)})
    other = replace(part, features=3 * part.features[::-1] + 1)
    changed = replace(data, parts={**data.parts, owner: other})
    assert crossed(federation, changed, hooks) == crossed(federation, data, hooks)


def noting(noted):
    """Keep the agreed optimizer, and note what the party was set up with before the first message."""

    def optimizer(agreed):
        noted.append([{**group, "params": [p.tolist() for p in group["params"]]} for group in agreed.param_groups])
        return agreed

    return Tampering(optimizer=optimizer)


DATA = small_data("breast_cancer", parties=3)


def rarely_one(rare, seed):
    """Labels of which so many training rows have a 1."""
    labels = np.zeros_like(DATA.labels)
    labels[np.random.default_rng(seed).choice(DATA.train, rare, replace=False)] = 1
    return labels


@settings(max_examples=20)
@given(rare=st.integers(1, 200), seed=st.integers(0, 2**32 - 1))
def test_before_the_first_message_labels_change_nothing_that_a_passive_party_does(rare, seed):
    labels = rarely_one(rare, seed)
    found = []
    for data in (DATA, with_labels(DATA, labels)):
        noted = {party: [] for party in data.passive}
        hooks = Hooks(tamperings={party: noting(noted[party]) for party in noted})
        trained(LogisticRegression(epochs=1, class_weights=True), data, hooks=hooks, record=NOTHING)
        found.append(noted)
    assert found[0] == found[1] and all(len(one) == 1 for one in found[0].values())


@settings(max_examples=20)
@given(rare=st.integers(1, 200), seed=st.integers(0, 2**32 - 1))
def test_how_sharply_the_loss_bends_is_said_in_a_message_about_the_labels_trained_on(rare, seed):
    labels = rarely_one(rare, seed)
    hooks = Hooks({DATA.active: Hook(labels=lambda _: labels)})
    run = trained(LogisticRegression(epochs=1, class_weights=True), DATA, hooks=hooks)
    said = [message for message in run.transcript.messages if message.kind is Kind.CURVATURE]
    assert {message.receiver for message in said} == set(DATA.passive) and run.transcript.messages[0] in said
    heaviest = len(DATA.train) / (2 * min(rare, len(DATA.train) - rare))
    assert all(np.isclose(message.payload["curvature"], heaviest / 4, rtol=1e-6).all() for message in said)


def test_without_class_weights_nothing_has_to_be_said():
    run = trained(LogisticRegression(epochs=1), DATA)
    assert Kind.CURVATURE not in {message.kind for message in run.transcript.messages}
    assert Kind.CURVATURE not in run.transcript.agreement.kinds
