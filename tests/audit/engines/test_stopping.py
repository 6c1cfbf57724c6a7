"""Ctrl-C and SIGTERM that come at a bad moment."""

import signal
import time

import pytest

from seepage.audit.engines.stopping import UNWINDING, Stopping, Terminated, held_back, uninterrupted


@pytest.fixture
def hearing():
    stopping = Stopping()
    before = signal.signal(signal.SIGTERM, stopping)
    yield stopping
    signal.signal(signal.SIGTERM, before)


def put_away(done, error=None):
    with held_back():
        signal.raise_signal(signal.SIGTERM)
        done.append("all of it")
        if error is not None:
            raise error


def test_a_signal_that_is_held_back_is_heard_in_the_end_as_what_it_was(hearing):
    done = []
    with pytest.raises(Terminated):
        put_away(done)
    assert done == ["all of it"]


def test_a_signal_counts_more_than_what_went_wrong_meanwhile(hearing):
    with pytest.raises(Terminated):
        put_away([], StopIteration())


def test_nobody_interrupts_what_is_being_put_away(hearing):
    with uninterrupted():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is hearing


def test_a_signal_that_comes_again_at_once_changes_nothing_and_later_counts(hearing):
    with pytest.raises(Terminated):
        signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)
    hearing.since -= UNWINDING
    with pytest.raises(Terminated):
        signal.raise_signal(signal.SIGTERM)


def test_a_signal_that_comes_while_an_object_dies_is_not_lost(hearing):
    class Dying:
        def __del__(self):
            signal.raise_signal(signal.SIGTERM)

    del (dying := [Dying()])[0]
    assert not dying
    with pytest.raises(Terminated):
        time.sleep(5)
