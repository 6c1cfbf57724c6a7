"""Confidences with fewer digits, against the definition in exact decimals."""

from decimal import ROUND_FLOOR, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from samples import small_data
from seepage.defenses.predictions.rounding import Rounding, rounded_down
from seepage.federations import FEDERATIONS
from seepage.messages import Kind
from seepage.randomness import stream
from seepage.views.released import last_digit
from trained_runs import guarded, trained

SHAPE = st.tuples(st.integers(1, 8), st.integers(1, 5))
CONFIDENCES = arrays(np.float64, SHAPE, elements=st.floats(0, 1)) | arrays(
    np.float32, SHAPE, elements=st.floats(0, 1, width=32)
)
DIGITS = st.integers(0, 9)


@given(CONFIDENCES, DIGITS)
def test_it_is_the_floor_of_the_exact_decimal(confidences, digits):
    unit = Decimal(10) ** -digits
    naive = [float(Decimal(float(v)).quantize(unit, rounding=ROUND_FLOOR)) for v in confidences.ravel()]
    found = rounded_down(confidences, digits).ravel()
    exact = confidences.ravel().astype(np.float64)
    # a confidence that *is* the float64 of some digits stays, though that float may lie just below the decimal
    stays = np.array([float(Decimal(repr(float(v))).quantize(unit, rounding=ROUND_FLOOR)) for v in exact]) == exact
    assert np.array_equal(found, np.where(stays, exact, naive))


@given(CONFIDENCES, DIGITS)
def test_at_most_one_unit_of_the_last_digit_is_lost(confidences, digits):
    lost = confidences.astype(np.float64) - rounded_down(confidences, digits)
    assert (lost >= 0).all() and (lost < 10.0**-digits * (1 + 1e-9)).all()


@given(CONFIDENCES, DIGITS)
def test_rounding_twice_changes_nothing_more(confidences, digits):
    once = rounded_down(confidences, digits)
    assert np.array_equal(rounded_down(once, digits), once)


@given(CONFIDENCES, st.integers(0, 6))
def test_all_are_multiples_of_the_last_digit_and_anyone_sees_it(confidences, digits):
    found = rounded_down(confidences, digits)
    assert np.abs(found * 10**digits - np.rint(found * 10**digits)).max() < 1e-6
    assert last_digit(found) >= 10.0**-digits * (1 - 1e-9)
    narrow = found.astype(np.float32)  # a federation from elsewhere may release what it has rounded as float32
    assert last_digit(narrow) >= 10.0**-digits * (1 - 1e-9)


@given(CONFIDENCES, DIGITS, st.randoms(use_true_random=False))
def test_the_order_of_classes_does_not_matter(confidences, digits, chance):
    order = list(range(confidences.shape[1]))
    chance.shuffle(order)
    assert np.array_equal(rounded_down(confidences[:, order], digits), rounded_down(confidences, digits)[:, order])


def test_numbers_that_float64_cannot_hold_exactly_stay():
    for digits in (1, 2, 3):
        grid = np.arange(10**digits + 1) / 10**digits
        assert np.array_equal(rounded_down(grid, digits), grid)


@pytest.mark.parametrize("federation", list(FEDERATIONS))
def test_everybody_sees_the_rounded_vector_and_nothing_else(federation):
    data = small_data("wine")
    run = trained(federation, data, hooks=guarded(Rounding(digits=1), data))
    released = run.release(data.test)
    assert np.array_equal(released, rounded_down(run.predict(data.test), 1))
    heard = [message for message in run.transcript.messages if message.kind is Kind.PREDICTION]
    assert {message.receiver for message in heard} == set(data.parties)
    for message in heard:
        assert np.array_equal(message.payload["confidence"], released)


def test_passive_parties_release_nothing_and_so_round_nothing():
    data = small_data("iris")
    message = object()
    assert Rounding().start(data.parts["passive"], stream(0, "x")).release(message) is message
