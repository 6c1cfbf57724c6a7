"""One trained run, released several times."""

from dataclasses import replace

import numpy as np
import pytest

from samples import small_data
from seepage.defenses.predictions.rounding import Rounding
from seepage.federations.boosting import Boosting
from seepage.federations.decision_tree import DecisionTree
from seepage.federations.forest import Forest
from seepage.federations.logistic_regression import LogisticRegression
from seepage.federations.split_network import SplitNetwork
from seepage.federations.summed_network import SummedNetwork
from seepage.hooks import Hook, Hooks, begin
from seepage.messages import Kind
from seepage.randomness import stream
from trained_runs import address, carried
from trained_runs import trained as trained_first

FEDERATIONS = [
    LogisticRegression(epochs=3), SplitNetwork(epochs=1), SummedNetwork(epochs=1),
    DecisionTree(depth=3, release="ratios"), Forest(trees=3, depth=3), Boosting(trees=2, depth=3),
]  # fmt: skip
every_federation = pytest.mark.parametrize("federation", FEDERATIONS, ids=lambda one: one.name)


def trained(federation, data, hooks=None):
    run = trained_first(federation, data, hooks=hooks)
    run.release_model()
    return run


def rounding(data):
    return {party: begin(Rounding(digits=1), part, stream(0, "x")) for party, part in data.parts.items()}


def same(ones, others):
    """Whether two transcripts hold the same messages and snapshots, bit for bit."""
    assert ones.epochs == others.epochs and len(ones.messages) == len(others.messages)
    for one, other in zip(ones.messages, others.messages, strict=True):
        assert address(one) == address(other) and carried(one) == carried(other)
    for one, other in zip(ones.snapshots, others.snapshots, strict=True):
        assert (one.party, one.epoch, one.part) == (other.party, other.epoch, other.part)
        assert all(np.array_equal(one.state[key], other.state[key]) for key in one.state)


@every_federation
def test_what_acts_on_releases_alone_need_not_be_trained_with(federation):
    data = small_data("wine", parties=3)
    defended = trained(federation, data, Hooks(rounding(data)))
    undefended = trained(federation, data)
    same(undefended.transcript, defended.transcript)
    expected = defended.release(data.test)
    found = undefended.release(data.test, rounding(data)[data.active])
    assert found.dtype == expected.dtype and np.array_equal(found, expected)
    assert not np.array_equal(found, undefended.predict(data.test))


@every_federation
def test_under_its_hook_the_same_crosses_as_if_it_had_been_there_in_training(federation):
    data = small_data("wine", parties=3)
    defended, undefended = trained(federation, data, Hooks(rounding(data))), trained(federation, data)
    defended.release(data.test)
    undefended.release(data.test, rounding(data)[data.active])
    same(undefended.transcript, defended.transcript)


@every_federation
def test_two_releases_of_one_run_do_not_see_each_other(federation):
    data = small_data("wine")
    run = trained(federation, data)
    before = run.transcript
    released = []
    for hook in (rounding(data)[data.active], None, rounding(data)[data.active]):
        with run.aside():
            released.append((run.release(data.test, hook), run.transcript))
        same(run.transcript, before)
    (one, first), (other, second), (repeated, third) = released
    assert np.array_equal(one, repeated) and not np.array_equal(one, other)
    same(first, third)
    told = [said for said in second.messages if said.kind is Kind.PREDICTION]
    assert len(told) == len(data.parties) and np.array_equal(told[0].payload["confidence"], other)


@every_federation
def test_a_release_under_no_other_hook_is_that_of_the_hook_trained_with(federation):
    data = small_data("wine")
    silent = Hook(release=lambda said: replace(said, payload={"confidence": 0 * said.payload["confidence"]}))
    run = trained(federation, data, Hooks({data.active: silent}))
    assert not run.release(data.test).any()
    assert run.release(data.test, Hook()).any()


def test_what_is_said_aside_is_forgotten_even_when_it_ends_in_an_error():
    data = small_data("wine")
    run = trained(LogisticRegression(epochs=2), data)
    count = len(run.transcript.messages)
    with pytest.raises(ZeroDivisionError), run.aside():
        run.release(data.test, Hook(release=lambda said: len(said.rows) // 0))
    assert len(run.transcript.messages) == count
