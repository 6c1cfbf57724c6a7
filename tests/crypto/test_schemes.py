"""Every operation opens to what NumPy gives, whatever the scheme."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seepage.threads import kernel_threads

few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
every_scheme = pytest.mark.parametrize("encryption", ["none", "okamoto-uchiyama", "paillier"])
each_encryption = pytest.mark.parametrize("encryption", ["okamoto-uchiyama", "paillier"])
seeds = st.integers(0, 2**32 - 1)


def some_rows(rng, count, slots=3):
    extremes = rng.choice([-(2**20), 0, 2**20], size=(count, slots))
    return np.where(rng.random((count, slots)) < 0.3, extremes, rng.integers(-(2**20), 2**20, (count, slots)))


def histogram(values, codes, bins):
    return np.concatenate([[values[column == b].sum(axis=0) for b in range(bins)] for column in codes.T]).astype(
        np.int64
    )


@every_scheme
@few
@given(seed=seeds, count=st.integers(1, 30), columns=st.integers(1, 3), bins=st.integers(1, 6))
def test_bins_add_up_part_by_part(both_sides, encryption, seed, count, columns, bins):
    rng = np.random.default_rng(seed)
    sealer, adder = both_sides(encryption)
    values = some_rows(rng, count)
    rows = rng.integers(0, count, rng.integers(0, count + 1))  # some twice, as in a bootstrap
    starts = np.array([0, rng.integers(0, rows.size + 1), rows.size])
    codes = rng.integers(0, bins, (count, columns)).astype(rng.choice([np.uint8, np.uint16]))
    sums = adder.bin_sums(adder.receive(sealer.seal(values)), rows, starts, codes, bins)
    parts = [rows[low:high] for low, high in pairwise(starts)]
    expected = np.concatenate([histogram(values[part], codes[part], bins) for part in parts])
    np.testing.assert_array_equal(sealer.open(adder.send(sums)), expected)


def test_threads_change_nothing(both_sides):
    rng = np.random.default_rng(0)
    _, adder = both_sides("none")
    values, codes = some_rows(rng, 40), rng.integers(0, 4, (40, 5)).astype(np.uint8)
    with kernel_threads(3):
        several = adder.bin_sums(adder.receive(values), np.arange(40), np.array([0, 40]), codes, 4)
    alone = adder.bin_sums(adder.receive(values), np.arange(40), np.array([0, 40]), codes, 4)
    np.testing.assert_array_equal(several, alone)


@every_scheme
@few
@given(seed=seeds, cuts=st.lists(st.integers(0, 20), max_size=6))
def test_groups_add_up_and_may_be_empty(both_sides, encryption, seed, cuts):
    rng = np.random.default_rng(seed)
    sealer, adder = both_sides(encryption)
    values, order = some_rows(rng, 15), rng.integers(0, 15, 20)
    starts = np.array([0, *sorted(cuts), 20])
    sums = adder.group_sums(adder.receive(sealer.seal(values)), order, starts)
    expected = [values[order[low:high]].sum(axis=0) for low, high in pairwise(starts)]
    np.testing.assert_array_equal(sealer.open(adder.send(sums)), expected)


@every_scheme
@few
@given(seed=seeds, cuts=st.sets(st.integers(1, 11), max_size=4))
def test_sums_run_and_are_picked(both_sides, encryption, seed, cuts):
    rng = np.random.default_rng(seed)
    sealer, adder = both_sides(encryption)
    one = some_rows(rng, 12)
    first = adder.receive(sealer.seal(one))
    starts = np.array([0, *sorted(cuts)])
    opened = {
        "running": adder.running(first, starts),
        "take": adder.take(first, np.array([3, 3, 11, 0])),
    }
    expected = {
        "running": np.concatenate([part.cumsum(axis=0) for part in np.split(one, starts[1:])]),
        "take": one[[3, 3, 11, 0]],
    }
    for name, sums in opened.items():
        np.testing.assert_array_equal(sealer.open(adder.send(sums)), expected[name], err_msg=name)


@every_scheme
def test_all_rows_at_the_limit_add_up(both_sides, encryption):
    sealer, adder = both_sides(encryption)
    signs = np.array([[1, -1, 1], [-1, -1, -1], [1, 1, 1]])
    vector = adder.receive(sealer.seal(signs * 2**20))
    order = np.repeat(np.arange(3), 5000)
    sums = adder.group_sums(vector, np.tile(order, 4), np.arange(0, 60_001, 5000))
    np.testing.assert_array_equal(sealer.open(adder.send(sums)), np.tile(signs, (4, 1)) * 2**20 * 5000)


@every_scheme
def test_many_slots_share_several_ciphertexts(both_sides, encryption):
    rng = np.random.default_rng(0)
    sealer, adder = both_sides(encryption, slots=24)
    values, codes = some_rows(rng, 20, slots=24), rng.integers(0, 4, (20, 2)).astype(np.uint8)
    sealed = sealer.seal(values)
    assert sealer.count(sealed) == {"none": 480, "okamoto-uchiyama": 60, "paillier": 20}[encryption]
    sums = adder.bin_sums(adder.receive(sealed), np.arange(20), np.array([0, 20]), codes, 4)
    np.testing.assert_array_equal(sealer.open(adder.send(sums)), histogram(values, codes, 4))
    np.testing.assert_array_equal(
        sealer.open(adder.send(adder.take(adder.running(sums, np.array([0, 4])), np.array([7, 3])))),
        np.tile(values.sum(axis=0), (2, 1)),
    )


@every_scheme
def test_more_bins_than_a_byte_holds(both_sides, encryption):
    rng = np.random.default_rng(0)
    sealer, adder = both_sides(encryption)
    values, codes = some_rows(rng, 40), rng.integers(0, 300, (40, 2)).astype(np.uint16)
    sums = adder.bin_sums(adder.receive(sealer.seal(values)), np.arange(40), np.array([0, 40]), codes, 300)
    np.testing.assert_array_equal(sealer.open(adder.send(sums)), histogram(values, codes, 300))


@every_scheme
def test_what_is_sealed_can_be_opened(both_sides, encryption):
    sealer, _ = both_sides(encryption)
    for count in (0, 1, 9):
        values = some_rows(np.random.default_rng(count), count)
        np.testing.assert_array_equal(sealer.open(sealer.seal(values)), values)


@every_scheme
def test_nothing_adds_up_to_nothing(both_sides, encryption):
    sealer, adder = both_sides(encryption)
    vector = adder.receive(sealer.seal(np.zeros((0, 3), dtype=np.int64)))
    nothing, one_group = np.zeros(0, dtype=np.int64), np.zeros(2, dtype=np.int64)
    assert sealer.open(adder.send(adder.take(vector, nothing))).shape == (0, 3)
    np.testing.assert_array_equal(sealer.open(adder.send(adder.group_sums(vector, nothing, one_group))), [[0, 0, 0]])


@every_scheme
def test_positions_and_bins_that_do_not_exist_are_refused(both_sides, encryption):
    sealer, adder = both_sides(encryption)
    vector = adder.receive(sealer.seal(np.ones((3, 3), dtype=np.int64)))
    codes = np.array([[0], [2], [0]], dtype=np.uint8)
    with pytest.raises(ValueError, match="positions must be from 0 to 2"):
        adder.bin_sums(vector, np.array([0, 3]), np.array([0, 2]), codes, 3)
    with pytest.raises(ValueError, match="positions must be from 0 to 2"):
        adder.take(vector, np.array([-1]))
    with pytest.raises(ValueError, match="below the number of bins"):
        adder.bin_sums(vector, np.array([0, 1]), np.array([0, 2]), codes, 2)
    with pytest.raises(ValueError, match="one for each sealed row"):
        adder.bin_sums(vector, np.array([0]), np.array([0, 1]), codes[:2], 3)
    with pytest.raises(ValueError, match="starts must rise"):
        adder.group_sums(vector, np.array([0, 1]), np.array([0, 2, 1]))
    with pytest.raises(ValueError, match="first block"):
        adder.running(vector, np.array([1]))
    with pytest.raises(ValueError, match="values must be from"):
        sealer.seal(np.full((1, 3), 2**20 + 1))


@each_encryption
def test_a_key_of_full_length_gives_the_integers_of_the_clear(both_sides, encryption):
    rng = np.random.default_rng(0)
    values, codes = some_rows(rng, 50, slots=2), rng.integers(0, 8, (50, 2)).astype(np.uint8)
    opened = []
    for scheme in ("none", encryption):
        sealer, adder = both_sides(scheme, slots=2, rows=10_000, key_bits=2048)
        sums = adder.bin_sums(adder.receive(sealer.seal(values)), np.arange(50), np.array([0, 50]), codes, 8)
        opened.append(sealer.open(adder.send(adder.running(sums, np.array([0, 8])))))
    np.testing.assert_array_equal(*opened)
