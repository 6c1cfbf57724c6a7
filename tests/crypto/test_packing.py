import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.crypto.packing import Packing
from seepage.errors import BadSetting


@given(
    slots=st.integers(1, 30),
    largest=st.integers(1, 2**40),
    rows=st.integers(1, 2**20),
    capacity=st.sampled_from([320, 672, 2016]),
    seed=st.integers(0, 2**32 - 1),
)
def test_sums_at_the_limits_never_spill_over(slots, largest, rows, capacity, seed):
    packing = Packing(slots=slots, largest=largest, rows=rows, capacity=capacity)
    signs = np.random.default_rng(seed).choice([-1, 0, 1], size=(5, slots))
    packed = packing.pack(signs * largest) * rows  # what adding up `rows` equal rows gives
    assert all(abs(number) < 2 ** (capacity - 1) for number in packed)
    np.testing.assert_array_equal(packing.unpack(packed), signs * largest * rows)


@given(seed=st.integers(0, 2**32 - 1), sums=st.integers(1, 9))
def test_sums_that_share_a_plaintext_come_apart_again(seed, sums):
    packing = Packing(slots=3, largest=100, rows=50, capacity=320)
    values = np.random.default_rng(seed).choice([-5000, -1, 0, 5000], size=(sums * packing.fold, 3))
    layers = values.reshape(packing.fold, sums, 3)
    shift = packing.width * packing.slots
    whole = sum(
        np.array([_joined(row, packing.width) for row in layer], dtype=object) << (shift * k)
        for k, layer in enumerate(layers)
    )
    assert all(abs(number) < 2 ** (packing.capacity - 1) for number in whole)
    np.testing.assert_array_equal(packing.unfold(whole, packing.fold), values)


def _joined(row, width):
    return sum(int(value) << (width * slot) for slot, value in enumerate(row))


def test_many_slots_take_several_plaintexts():
    packing = Packing(slots=24, largest=2**30, rows=2**20, capacity=672)
    assert (packing.width, packing.together, packing.pieces, packing.fold) == (56, 12, 2, 1)
    values = np.random.default_rng(0).integers(-(2**30), 2**30, (7, 24))
    assert packing.pack(values).shape == (14,)
    np.testing.assert_array_equal(packing.unpack(packing.pack(values)), values)


def test_the_largest_64_bit_sums_survive():
    packing = Packing(slots=2, largest=2**63 - 1, rows=1, capacity=672)
    values = np.array([[2**63 - 1, -(2**63 - 1)], [0, -1]])
    np.testing.assert_array_equal(packing.unpack(packing.pack(values)), values)


def test_no_rows_are_packed_to_nothing():
    packing = Packing(slots=2, largest=1, rows=1, capacity=672)
    assert packing.unpack(packing.pack(np.zeros((0, 2), dtype=np.int64))).shape == (0, 2)


def test_a_sum_beyond_the_terms_is_refused_and_not_misread():
    packing = Packing(slots=1, largest=100, rows=1, capacity=672)
    with pytest.raises(ValueError, match="larger than the agreed terms"):
        packing.unpack(np.array([2**20], dtype=object))


def test_impossible_terms_are_refused():
    with pytest.raises(BadSetting, match="64 bits"):
        Packing(slots=1, largest=2**62, rows=2, capacity=672)
    with pytest.raises(BadSetting, match="needs 64 bits, more than the 32"):
        Packing(slots=1, largest=2**60, rows=2, capacity=32)
    with pytest.raises(ValueError, match="1 or more"):
        Packing(slots=0, largest=1, rows=1, capacity=672)


def test_values_beyond_the_terms_are_refused():
    packing = Packing(slots=2, largest=5, rows=1, capacity=672)
    with pytest.raises(ValueError, match="from -5 to 5, got 0 to 6"):
        packing.pack(np.array([[0, 6]]))
    with pytest.raises(ValueError, match="rows × 2"):
        packing.pack(np.array([[0, 6, 1]]))
