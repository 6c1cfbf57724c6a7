"""A view holds what an attack declared; reading anything else names the declaration that is missing."""

import gc
import pickle
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hand_made import agreed, own_part
from made_up_attacks import OnLabels
from seepage.audit.findings.circumstances import Surroundings
from seepage.audit.recordings.recorded_run import RecordedRun
from seepage.audit.stages.attacking import attack_run
from seepage.errors import AuditError, IncompatibleView, UndeclaredNeed
from seepage.guesses import LabelGuess
from seepage.messages import NETWORK_KINDS, OUTSIDE_TRAINING, TREE_KINDS, Message
from seepage.partition import PublicColumns
from seepage.transcript import Snapshot, Transcript
from seepage.views import Auxiliary, Epochs, Kind, Knowledge, KnownRows, ModelKind, Needs, ThreatModel, View, observe
from seepage.views.digest import view_digest
from seepage.views.own_bottoms import own_bottoms
from seepage.views.trees.instance_spaces import visible_nodes

EPOCHS = 3
TRAIN, NEW = np.arange(6), np.arange(6, 9)
LABELS = np.array([0, 1, 0, 1, 0, 1, 1, 0, 1])
TERMS = agreed("summed-network", ("bank", "shop", "lab"), top_model=False,
               kinds=(*NETWORK_KINDS, Kind.CHILD_SPACES, Kind.INSTANCE_SPACE))  # fmt: skip
EVERYTHING = Needs(
    received=frozenset(Kind), sent=frozenset(Kind), snapshots=Epochs.all(), models=frozenset(ModelKind),
    known_values=1, means=True, labels_from="gradient-sign", labels_per_class=1, bottom=True, auxiliary=Auxiliary(),
    labels=True, complete=True,
)  # fmt: skip


def said(kind, sender, receiver, epoch):
    numbers = np.random.default_rng(epoch + 1).normal(size=6)
    return Message(kind, sender, receiver, epoch, 0, TRAIN, {"numbers": numbers})


def part(party, labels=None):
    return own_part(party, np.arange(9.0)[:, None], (f"{party}'s",), labels=labels)


def held() -> View:
    """All that a bank and a shop hold who collude against a lab, and know whatever can be known."""
    threat = {"labels_per_class": 1, "known_values": 2, "means": True, "complete": True, "property": "job=clerk"}
    knowledge = Knowledge(
        threat=ThreatModel(adversaries=("bank", "shop"), auxiliary=Auxiliary(rows=5), **threat),
        own={"bank": part("bank", LABELS.copy()), "shop": part("shop")},
        train=TRAIN, new=NEW, known_rows=np.array([0, 1]), known_labels=np.array([0, 1]),
        others={"lab": PublicColumns(("lab's",), np.array([[0.0, 1.0]]))}, value_rows=np.array([2, 3]),
        values={"lab": np.array([[0.2], [0.3]])}, means={"lab": np.array([0.5])},
        complete={"lab": np.arange(9.0)[:, None]}, guess=LabelGuess(TRAIN, np.eye(2)[LABELS[:6]]),
        auxiliary=KnownRows(np.array([4, 5]), np.array([4, 8]), np.array([True, False])),
    )  # fmt: skip
    pairs = [("bank", "shop"), ("shop", "bank"), ("lab", "bank"), ("bank", "lab")]
    epochs = (*range(EPOCHS), OUTSIDE_TRAINING)
    messages = [said(kind, *pair, epoch) for epoch in epochs for kind in TERMS.kinds for pair in pairs]
    snapshots = [
        Snapshot(party, epoch, {"kind": "mlp"}, {"weight": np.full((1, 2), epoch)}, part=part)
        for epoch in range(EPOCHS)
        for party, part in (("bank", "bottom"), ("bank", "head"), ("shop", "bottom"))
    ]
    return observe(Transcript(TERMS, tuple(messages), tuple(snapshots), epochs=EPOCHS), knowledge)


READINGS = [
    ("Add Kind.GRADIENT to needs.received", lambda view: view.received(Kind.GRADIENT)),
    ("Add Kind.CHILD_SPACES to needs.received", lambda view: view.arrived(Kind.CHILD_SPACES)),
    ("Add Kind.EMBEDDING to needs.sent", lambda view: view.sent(Kind.EMBEDDING)),
    ("Add Kind.INSTANCE_SPACE to needs.received", visible_nodes),
    ("(or set needs.bottom)", own_bottoms),
    ("Add that epoch to needs.snapshots", lambda view: view.snapshot("bank", 0, "head")),
    ("Set needs.labels_per_class", lambda view: view.knowledge.known_labels),
    ("Set needs.labels_per_class", lambda view: view.knowledge.known_rows),
    ("Set needs.known_values", lambda view: view.knowledge.values),
    ("Set needs.known_values", lambda view: view.knowledge.value_rows),
    ("Set needs.means", lambda view: view.knowledge.means),
    ("Set needs.complete", lambda view: view.knowledge.complete),
    ("Name that attack in needs.labels_from", lambda view: view.knowledge.guess),
    ("Set needs.auxiliary", lambda view: view.knowledge.auxiliary),
    ("Set needs.labels, or needs.labels_if_held", lambda view: view.knowledge.own["bank"].labels),
]
"""The declaration that is missing, and what reads without it."""
TERMS_READ = [
    ("Set needs.terms", lambda view: view.agreement.federation),
    ("Set needs.terms", lambda view: view.agreement.settings),
    ("Set needs.terms", lambda view: view.epochs),
]
"""What is there for whoever declared a message or an own model."""


@pytest.mark.parametrize(("remedy", "read"), [*READINGS, *TERMS_READ])
def test_reading_what_was_not_declared_names_the_declaration(remedy, read):
    with pytest.raises(UndeclaredNeed) as caught:
        read(held().narrowed(Needs()))
    assert remedy in str(caught.value) and str(caught.value).startswith("The attack reads ")
    assert not isinstance(caught.value, IncompatibleView)  # which would say that the adversary lacks it
    assert isinstance(caught.value, AuditError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # it comes back from worker processes


@pytest.mark.parametrize(("remedy", "read"), [pair for pair in READINGS if pair[1] not in {visible_nodes, own_bottoms}])
def test_what_was_declared_can_be_read(remedy, read):
    assert read(held().narrowed(EVERYTHING)) is not None, remedy


def test_other_epochs_than_declared_are_an_error_and_not_an_empty_answer():
    view = held().narrowed(Needs(received=frozenset({Kind.GRADIENT}), epochs=Epochs.only(0, -1)))
    assert {message.epoch for message in view.received(Kind.GRADIENT)} == {0, 2, OUTSIDE_TRAINING}
    assert {message.epoch for message in view.received(Kind.GRADIENT, Epochs.only(2))} == {2}
    for epochs in (Epochs.only(1), Epochs.all()):
        with pytest.raises(UndeclaredNeed, match=r"Add these to needs\.epochs"):
            view.received(Kind.GRADIENT, epochs)


def test_a_released_model_is_there_for_attacks_that_say_which_models_they_understand():
    without = held().narrowed(Needs(received=frozenset({Kind.MODEL})))
    assert without.messages == ()
    with pytest.raises(UndeclaredNeed, match=r"models that are understood to needs\.models"):
        without.received(Kind.MODEL)
    understood = Needs(received=frozenset({Kind.MODEL}), models=frozenset({ModelKind.LINEAR}))
    assert held().narrowed(understood).received(Kind.MODEL)


def test_only_what_came_to_the_adversary_or_was_sent_by_it_is_there_as_declared():
    came = held().narrowed(Needs(received=frozenset({Kind.GRADIENT})))
    assert {message.receiver for message in came.messages} == {"bank", "shop"}
    gone = held().narrowed(Needs(sent=frozenset({Kind.GRADIENT})))
    assert {message.sender for message in gone.messages} == {"bank", "shop"}
    assert ("bank", "lab") in {(message.sender, message.receiver) for message in gone.messages}


def test_own_models_are_those_of_the_declared_epochs_or_the_bottom_at_the_end():
    kept = held().narrowed(Needs(snapshots=Epochs.only(-2))).snapshots
    taken_of = [(taken.party, taken.part, taken.epoch) for taken in kept]
    assert taken_of == [("bank", "bottom", 1), ("bank", "head", 1), ("shop", "bottom", 1)]
    ends = held().narrowed(Needs(bottom=True)).snapshots
    assert [(taken.party, taken.part, taken.epoch) for taken in ends] == [("bank", "bottom", 2), ("shop", "bottom", 2)]


def test_what_serves_instead_is_shown_where_the_federation_asks_for_it():
    trees = Needs(received=frozenset({Kind.CHILD_SPACES}))
    needs = Needs(received=frozenset({Kind.EMBEDDING}), auxiliary=Auxiliary(), instead=trees)
    view = held()
    assert {message.kind for message in view.narrowed(needs).messages} == {Kind.EMBEDDING}
    grown = replace(view, agreement=replace(view.agreement, kinds=TREE_KINDS))
    assert {message.kind for message in grown.narrowed(needs).messages} == {Kind.CHILD_SPACES}


def test_own_labels_are_those_of_training_rows_and_of_people_who_were_asked():
    needs = Needs(labels_if_held=True)
    assert held().narrowed(needs).knowledge.own["bank"].labels.tolist() == [*LABELS[:6], -1, -1, -1]
    assert held().narrowed(needs).knowledge.own["shop"].labels is None
    asked = held().narrowed(replace(needs, auxiliary=Auxiliary()))
    assert asked.knowledge.own["bank"].labels.tolist() == [*LABELS[:6], -1, -1, LABELS[8]]


def test_own_columns_row_numbers_and_what_is_public_are_always_there():
    whole, view = held(), held().narrowed(Needs())
    assert np.array_equal(view.knowledge.features, whole.knowledge.features)
    assert np.array_equal(view.knowledge.train, TRAIN) and np.array_equal(view.knowledge.new, NEW)
    assert view.knowledge.others["lab"].names == ("lab's",)
    assert (view.agreement.parties, view.agreement.active, view.agreement.classes) == (TERMS.parties, "bank", 2)
    assert view.adversaries == ("bank", "shop")
    assert view.knowledge.threat == ThreatModel(adversaries=("bank", "shop"))


def reachable(start) -> list[np.ndarray]:
    """All arrays to which some road leads from an object, whatever the road."""
    seen, found, ahead = set(), [], [start]
    while ahead:
        thing = ahead.pop()
        if id(thing) in seen or isinstance(thing, type):
            continue
        seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            found.append(thing)
            ahead.append(thing.base)
        ahead += gc.get_referents(thing)
    return found


def test_no_road_leads_from_a_view_to_what_was_not_declared():
    whole = held()
    view = whole.narrowed(Needs())
    known = whole.knowledge
    secrets = [known.known_rows, known.known_labels, known.value_rows, known.values["lab"], known.means["lab"]]
    secrets += [known.guess.scores, known.auxiliary.has, known.own["bank"].labels]
    secrets += [array for message in whole.messages for array in message.payload.values()]
    secrets += [array for taken in whole.snapshots for array in taken.state.values()]
    roads = reachable(view)
    assert any(one is known.own["bank"].features for one in roads)  # the search does find what is there
    assert all(any(one is secret for one in reachable(whole)) for secret in secrets)
    assert not any(np.shares_memory(one, secret) for one in roads for secret in secrets)


def test_a_view_survives_a_journey_as_it_is():
    view = held().narrowed(Needs(received=frozenset({Kind.GRADIENT}), labels_if_held=True))
    again = pickle.loads(pickle.dumps(view))
    assert view_digest(again) == view_digest(view)
    with pytest.raises(UndeclaredNeed, match=r"needs\.means"):
        _ = again.knowledge.means
    assert repr(again.knowledge.train) in repr(again)  # what is not there does not stop it from being shown


def test_who_reads_nothing_of_a_federation_is_shown_the_same_under_each():
    view = held()
    other = agreed("forest", TERMS.parties, top_model=True, kinds=TREE_KINDS, outputs=0, settings={"trees": 3})
    grown = replace(view, agreement=other, messages=(), snapshots=(), epochs=3 * EPOCHS)
    for needs in (Needs(), Needs(known_values=1, labels_per_class=1, labels=True)):
        shown = view.narrowed(needs)
        assert view_digest(shown) == view_digest(grown.narrowed(needs))
        assert (shown.agreement.parties, shown.agreement.active, shown.agreement.classes) == (TERMS.parties, "bank", 2)
        assert "forest" not in repr(grown.narrowed(needs)) and pickle.loads(pickle.dumps(shown)).narrowed(needs)
    for needs in (Needs(terms=True), Needs(bottom=True), Needs(received=frozenset({Kind.GRADIENT}))):
        assert view.narrowed(needs).agreement == TERMS and view.narrowed(needs).epochs == EPOCHS
        assert view_digest(view.narrowed(needs)) != view_digest(grown.narrowed(needs))


def test_a_narrowed_view_is_not_narrowed_again():
    needs = Needs(received=frozenset({Kind.GRADIENT}))
    view = held().narrowed(needs)
    assert view.narrowed(needs) is view
    with pytest.raises(ValueError, match="narrowed once"):
        view.narrowed(Needs())


kinds = st.frozensets(st.sampled_from(list(Kind)))
epochs = st.one_of(st.just(Epochs.all()), st.builds(lambda some: Epochs.only(*some), st.sets(st.integers(-3, 2))))
declarations = st.builds(Needs, received=kinds, sent=kinds, epochs=epochs, snapshots=epochs, bottom=st.booleans(),
                         models=st.just({ModelKind.TREE}))  # fmt: skip


@given(needs=declarations)
def test_a_view_holds_nothing_that_the_recorder_would_not_have_kept(needs):
    view, kept = held().narrowed(needs), needs.recording().of(EPOCHS)
    assert all(kept.wants(message) for message in view.messages)
    assert all(taken.epoch in kept.snapshots for taken in view.snapshots)
    mine = {"bank", "shop"}
    wanted = [message for message in held().messages if kept.wants(message)]
    shown = [
        message
        for message in wanted
        if (message.kind in needs.received and message.receiver in mine)
        or (message.kind in needs.sent and message.sender in mine)
    ]
    assert len(view.messages) == len(shown)


@dataclass(frozen=True)
class Planted(OnLabels):
    """Declares predictions, and reads something else: one of the readings above, by number."""

    reading: int
    needs: ClassVar = Needs(received=frozenset({Kind.PREDICTION}))

    def run(self, view, rng):
        READINGS[self.reading][1](view)
        return LabelGuess(TRAIN, np.eye(2)[LABELS[:6]])


@pytest.mark.parametrize("reading", range(len(READINGS)))
def test_an_attack_that_reads_more_than_it_declared_fails_and_is_not_said_to_be_inapplicable(reading):
    view = held()
    around = Surroundings(data="made-up", federation="made-up", parties=2, seed=0)
    run = RecordedRun(Transcript(TERMS, view.messages, view.snapshots, epochs=EPOCHS), view.knowledge, None, around)
    finding = attack_run(run, Planted(reading), "planted").finding
    assert finding.status == "failed" and READINGS[reading][0] in finding.reason
