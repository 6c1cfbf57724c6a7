"""Correlations between parties, computed by messages."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from samples import small_data, without_active_columns
from seepage.federations import FEDERATIONS
from seepage.federations.screening import Screener, narrowed, standardized
from seepage.federations.split_network import SplitNetwork
from seepage.hooks import Hook, Hooks
from seepage.json_arrays import from_array
from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.partition import OwnPart
from seepage.shapes import NO_ROWS
from seepage.transcript.storage import read_transcript, write_transcript
from trained_runs import NOTHING, screened, trained

QUICK = {"split-network": {"epochs": 2}, "summed-network": {"epochs": 2}, "logistic-regression": {"epochs": 5}}


def watching(seen, keep=None):
    """A hook that remembers what a party is shown, and keeps some columns."""

    def act(screening):
        seen[screening.part.party] = screening
        return screening if keep is None else replace(screening, kept=keep(screening))

    return Hook(screening=act)


def exchanged(data, keep=None):
    seen, heard = {}, []
    hooks = {party: watching(seen, keep) for party in data.passive}
    return screened(data, Hooks(hooks), heard.append), seen, heard


def joined(data, parties):
    return np.concatenate([data.parts[party].features[data.train] for party in parties], axis=1).astype(np.float64)


@pytest.mark.parametrize("parties", [2, 3, 4])
def test_each_party_learns_the_correlations_of_the_joined_table(parties):
    data = small_data("breast_cancer", parties=parties)
    left, seen, _ = exchanged(data)
    assert set(seen) == set(data.passive)
    for party in data.passive:
        others = [data.active, *(other for other in data.passive if other != party)]
        own, theirs = joined(data, [party]), joined(data, others)
        expected = np.corrcoef(own.T, theirs.T)[: own.shape[1], own.shape[1] :]
        assert np.allclose(seen[party].correlations, expected, atol=1e-9)
        assert left.parts[party] is data.parts[party]


@given(arrays(np.float32, (9, 4), elements=st.floats(-100, 100, width=32)))
def test_products_of_standardized_columns_are_correlations_and_still_columns_have_none(columns):
    columns[:, 3] = 0.1
    found = standardized(columns).T @ standardized(columns)
    for one in range(3):
        for two in range(3):
            x, y = columns[:, one].astype(np.float64), columns[:, two].astype(np.float64)
            if min(x.std(), y.std()) > 1e-6 * (1 + np.abs(columns).max()):
                assert found[one, two] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-6)
    assert not found[3].any() and np.abs(found).max() <= 1 + 1e-9


def test_gaps_count_as_the_mean():
    gaps = np.array([[1.0, 2.0], [np.nan, 3.0], [5.0, 7.0], [6.0, np.nan]])
    filled = np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)
    own = standardized(gaps)
    assert np.allclose(own.T @ own, np.corrcoef(filled.T))


def test_the_transcript_says_how_much_was_sealed_and_not_what():
    data = small_data("breast_cancer", parties=3)
    _, seen, heard = exchanged(data)
    carrying = [message for message in heard if message.payload]
    assert {message.kind for message in carrying} == {Kind.CORRELATION}
    assert {key for message in carrying for key in message.payload} == {"sealed", "products"}
    assert all(not array.any() for message in carrying for array in message.payload.values())
    shapes = {array.shape for message in carrying for array in message.payload.values()}
    assert (len(data.train), data.parts[data.passive[0]].width) in shapes
    assert all(screening.correlations.any() for screening in seen.values())


def test_only_the_owner_hears_its_correlations_and_nobody_but_the_active_party_relays():
    data = small_data("breast_cancer", parties=3)
    _, _, heard = exchanged(data)
    assert all(data.active in (message.sender, message.receiver) for message in heard)
    one, two = data.passive
    said = [(m.sender, m.receiver, *m.payload) for m in heard if one in (m.sender, m.receiver)]
    assert said[:2] == [(data.active, one), (one, data.active, "sealed")]
    assert (data.active, one, "products") in said and (one, data.active) in said
    asked_of_two = [(m.sender, *m.payload) for m in heard if two in (m.sender, m.receiver)]
    assert asked_of_two[:2] == [(data.active, "sealed"), (two, "products")]


def test_where_no_defense_screens_nothing_crosses_but_the_question_and_nothing_changes():
    data, heard = small_data("wine"), []
    left = screened(data, Hooks(dict.fromkeys(data.parties, Hook())), heard.append)
    assert all(left.parts[party] is data.parts[party] for party in data.parties)
    assert len(heard) == 2 and not any(message.payload for message in heard)


def test_a_decision_follows_from_own_columns_and_products_alone():
    data = small_data("breast_cancer", parties=3)
    party = data.passive[0]
    _, seen, _ = exchanged(data)
    alone_seen = {}
    alone = Screener(data.parts[party], watching(alone_seen))
    products = seen[party].correlations.T
    alone.answer(Message(Kind.CORRELATION, data.active, party, OUTSIDE_TRAINING, 0, NO_ROWS, {"products": products}))
    assert np.array_equal(alone_seen[party].correlations, seen[party].correlations)
    assert alone_seen[party].part is seen[party].part


def test_what_others_hold_shows_in_no_other_way_than_in_correlations():
    data = small_data("breast_cancer", parties=3)
    party = data.passive[0]
    _, seen, _ = exchanged(data)
    rng = np.random.default_rng(0)
    others = {}
    for other in data.parties:
        if other != party:  # other units, and other values wherever nothing is trained
            own = 2.5 * data.parts[other].features.astype(np.float64) + 7
            own[data.test] = rng.normal(size=own[data.test].shape)
            others[other] = replace(data.parts[other], features=own)
    _, seen_again, _ = exchanged(replace(data, parts={**data.parts, **others}))
    assert np.allclose(seen_again[party].correlations, seen[party].correlations, atol=1e-9)


@pytest.mark.parametrize("federation", list(FEDERATIONS))
def test_columns_that_were_left_out_are_in_no_model_and_the_active_party_keeps_its_own(federation):
    data = small_data("wine", parties=3)
    hooks = {party: watching({}, lambda s: np.arange(s.part.width) > 0) for party in data.passive}
    made = FEDERATIONS[federation](**QUICK.get(federation, {}))
    run = trained(made, data, hooks=Hooks(hooks))
    run.release_model()
    read = {
        message.sender: tuple(from_array(message.payload["about"])["columns"])
        for message in run.transcript.messages
        if message.kind is Kind.MODEL
    }
    assert read[data.active] == data.parts[data.active].names
    assert all(read[party] == data.parts[party].names[1:] for party in data.passive)
    assert run.predict(data.test).shape == (len(data.test), 3)


@pytest.mark.parametrize("federation", list(FEDERATIONS))
def test_keeping_everything_trains_the_very_same_model(federation):
    data = small_data("iris")
    made = FEDERATIONS[federation](**QUICK.get(federation, {}))
    watched = {party: watching({}) for party in data.passive}
    runs = [trained(made, data, hooks=Hooks(hooks), record=NOTHING) for hooks in ({}, watched)]
    assert np.array_equal(runs[0].predict(data.test), runs[1].predict(data.test))


def test_an_active_party_without_columns_has_nothing_to_correlate_with():
    _, seen, _ = exchanged(without_active_columns(small_data("iris")))
    assert seen["passive"].correlations.shape == (2, 0)


def test_a_recorded_exchange_can_be_stored_and_read(tmp_path):
    data = small_data("iris", parties=3)
    hooks = {party: watching({}) for party in data.passive}
    run = trained(FEDERATIONS["logistic-regression"](epochs=2), data, hooks=Hooks(hooks))
    write_transcript(run.transcript, tmp_path)
    kinds = [message.kind for message in read_transcript(tmp_path).messages]
    assert kinds.count(Kind.CORRELATION) == 2 * 4


def test_a_narrowed_part_keeps_whole_attributes_in_step():
    limits = np.array([[0, 1], [0, 2], [0, 3], [0, 4]])
    part = OwnPart("shop", ("job", "age", "visits"), np.arange(8.0).reshape(2, 4), ("job=a", "job=b", "age", "visits"),
                   np.array([0, 0, 1, 2]), limits=limits)  # fmt: skip
    left = narrowed(part, np.array([True, True, False, True]))
    assert left.columns == ("job", "visits") and left.names == ("job=a", "job=b", "visits")
    assert left.attributes.tolist() == [0, 0, 1] and left.limits.tolist() == [[0, 1], [0, 2], [0, 4]]
    assert left.features.tolist() == [[0, 1, 3], [4, 5, 7]]


def test_columns_that_are_sent_as_they_are_can_be_left_out_too():
    data = small_data("wine")
    (owner,) = data.passive
    last = Hook(screening=lambda asked: replace(asked, kept=np.arange(len(asked.kept)) == len(asked.kept) - 1))
    run = trained(SplitNetwork(epochs=1, bottom="identity"), data, hooks=Hooks({owner: last}))
    sent = [said for said in run.transcript.messages if said.kind is Kind.EMBEDDING]
    assert sent and all(said.payload["embedding"].shape[1] == 1 for said in sent)
