"""How much crosses is counted in full, whatever is recorded of it."""

from collections import Counter

import pytest

from samples import small_data
from seepage.federations.forest import Forest
from seepage.federations.logistic_regression import LogisticRegression
from seepage.federations.split_network import SplitNetwork
from seepage.messages import SEALED_KINDS, Kind
from seepage.transcript import Recording
from tree_samples import trained

FEDERATIONS = [LogisticRegression(epochs=2), SplitNetwork(epochs=1), Forest(trees=2, depth=3)]
every_federation = pytest.mark.parametrize("federation", FEDERATIONS, ids=lambda one: one.name)


def run_of(federation, record):
    data = small_data("breast_cancer", parties=3)
    run = trained(federation, data, record=record)
    run.release_model()
    run.release(data.test)
    return run


@every_federation
def test_counts_are_those_of_all_messages_and_do_not_depend_on_what_is_recorded(federation):
    whole = run_of(federation, Recording.everything())
    spoken = [message for message in whole.transcript.messages if message.sender != message.receiver]
    expected = Counter((message.kind.value, message.sender, message.receiver) for message in spoken)
    counted = {(one["kind"], one["sender"], one["receiver"]): one["messages"] for one in whole.crossed}
    assert counted == expected
    sizes = sum(message.rows.nbytes + sum(a.nbytes for a in message.payload.values()) for message in spoken)
    assert sum(one["bytes"] for one in whole.crossed) == sizes > 0
    assert run_of(federation, Recording()).crossed == whole.crossed


def test_sealed_is_what_only_one_party_has_the_key_for():
    crossed = run_of(Forest(trees=2, depth=3), Recording()).crossed
    sealed = {one["kind"] for one in crossed if one["sealed"]}
    assert sealed == {Kind.ENCRYPTED, Kind.SPLIT_SUMS} < SEALED_KINDS
    assert Kind.INSTANCE_SPACE in {one["kind"] for one in crossed if not one["sealed"]}


@every_federation
def test_each_release_counts_for_itself(federation):
    data = small_data("breast_cancer", parties=3)
    run = trained(federation, data)
    before = run.crossed
    with run.aside():
        run.release(data.test)
        first = run.crossed
    assert run.crossed == before
    with run.aside():
        run.release(data.test)
        assert run.crossed == first
    assert sum(one["messages"] for one in first) > sum(one["messages"] for one in before)
