"""What is kept of a run where epochs are counted from the end."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hand_made import agreed
from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.transcript import Epochs, Recorder, Recording, Snapshot

TERMS = agreed("split-network", outputs=1)


def said(epoch: int, kind: Kind = Kind.EMBEDDING) -> Message:
    return Message(kind, "shop", "bank", epoch, 0, np.arange(1), {"embedding": np.ones((1, 1))})


def heard(record: Recording, epochs: int) -> Recorder:
    recorder = Recorder(record)
    for epoch in range(epochs):
        for kind in (Kind.EMBEDDING, Kind.GRADIENT):
            recorder.hear(said(epoch, kind))
        recorder.end_epoch(epoch, lambda epoch=epoch: [Snapshot("shop", epoch, {}, {})])
    recorder.hear(said(OUTSIDE_TRAINING))
    return recorder


@given(asked=st.sets(st.integers(-6, 6)), trained=st.integers(1, 8))
def test_epochs_counted_from_the_end_are_found_once_the_end_is_known(asked, trained):
    epochs = Epochs.only(*asked)
    transcript = heard(Recording({Kind.EMBEDDING: epochs}, epochs), trained).transcript(TERMS)
    wanted = {number if number >= 0 else max(0, trained + number) for number in asked} & set(range(trained))
    assert {message.epoch for message in transcript.messages} == wanted | {OUTSIDE_TRAINING}
    assert {snapshot.epoch for snapshot in transcript.snapshots} == wanted
    assert transcript.epochs == transcript.trained == trained


def test_no_more_than_the_latest_epochs_is_held_while_training_goes_on():
    recorder = heard(Recording({Kind.EMBEDDING: Epochs.only(-2)}, Epochs.only(-2)), 50)
    assert sorted(message.epoch for message in recorder.kept) == [OUTSIDE_TRAINING, 48, 49]
    assert [snapshot.epoch for snapshot in recorder.snapshots] == [48, 49]


def test_one_kind_may_be_wanted_from_the_end_and_another_from_the_start():
    record = Recording({Kind.EMBEDDING: Epochs.only(-1)}) | Recording({Kind.GRADIENT: Epochs.only(0)})
    kept = heard(record, 4).transcript(TERMS).messages
    heard_of = [(message.kind, message.epoch) for message in kept]
    assert heard_of == [(Kind.GRADIENT, 0), (Kind.EMBEDDING, 3), (Kind.EMBEDDING, OUTSIDE_TRAINING)]


@pytest.mark.parametrize("epochs", [Epochs.all(), Epochs.only(0, 3)])
def test_epochs_counted_from_the_start_need_no_end(epochs):
    assert epochs.of(10) == epochs and epochs.back == 0
