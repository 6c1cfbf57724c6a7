import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.utils import murmurhash3_32

from hand_made import table_of
from seepage.data.encoding import Encoding, encode
from seepage.data.sets.pictures import picture_table
from seepage.data.table import Column
from seepage.errors import BadTable, UnknownName

ENCODINGS = [Encoding(kind, scaling) for kind in ("one-hot", "ordinal", "hash") for scaling in ("standard", "minmax")]


def mixed_table(rng, rows=40, missing=True):
    levels = tuple("abcde")
    numbers = rng.normal(size=rows) * 10
    codes = rng.integers(-1 if missing else 0, len(levels), size=rows)
    if missing:
        numbers[rng.random(rows) < 0.2] = np.nan
    return table_of(Column("n", numbers), Column("c", codes, levels=levels), Column("m", rng.normal(size=rows) + 3))


def changed(table, values_of):
    return table_of(*(Column(c.name, values_of(c), c.levels, c.limits) for c in table.columns))


@given(seed=st.integers(0, 2**32 - 1), encoding=st.sampled_from(ENCODINGS))
@settings(max_examples=40, deadline=None)
def test_changing_test_rows_never_changes_training_rows(seed, encoding):
    rng = np.random.default_rng(seed)
    table, other = mixed_table(rng), mixed_table(rng)
    train = np.sort(rng.choice(40, 25, replace=False))
    mixed = changed(table, lambda c: np.where(np.isin(np.arange(40), train), c.values, other[c.name].values))
    before, after = encode(table, train, encoding), encode(mixed, train, encoding)
    assert before.names == after.names
    np.testing.assert_array_equal(before.matrix[train], after.matrix[train])


@given(seed=st.integers(0, 2**32 - 1), encoding=st.sampled_from(ENCODINGS))
@settings(max_examples=40, deadline=None)
def test_permuting_rows_permutes_the_encoding(seed, encoding):
    rng = np.random.default_rng(seed)
    table, order = mixed_table(rng), rng.permutation(40)
    train = np.arange(25)
    there = np.flatnonzero(np.isin(order, train))
    before = encode(table, train, encoding)
    after = encode(changed(table, lambda column: column.values[order]), there, encoding)
    assert before.names == after.names
    np.testing.assert_allclose(before.matrix[order], after.matrix, atol=1e-5)


@given(seed=st.integers(0, 2**32 - 1), encoding=st.sampled_from(ENCODINGS))
@settings(max_examples=20, deadline=None)
def test_part_of_an_encoding_is_the_encoding_of_a_part(seed, encoding):
    table = mixed_table(np.random.default_rng(seed))
    whole, part = encode(table, np.arange(25), encoding), encode(table, np.arange(25), encoding, ["m", "c"])
    for place, name in enumerate(part.columns):
        here, there = part.attributes == place, whole.attributes == whole.columns.index(name)
        np.testing.assert_array_equal(part.matrix[:, here], whole.matrix[:, there])
        assert list(np.array(part.names)[here]) == list(np.array(whole.names)[there])


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_one_hot_and_scaling_agree_with_scikit_learn(seed):
    table = mixed_table(np.random.default_rng(seed), missing=False)
    train = np.arange(25)
    codes, numbers = table["c"].values[:, None], table["n"].values[:, None]
    theirs = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(codes[train]).transform(codes)
    np.testing.assert_array_equal(encode(table, train, Encoding(), ["c"]).matrix, theirs)
    standard = StandardScaler().fit(numbers[train]).transform(numbers)
    np.testing.assert_allclose(encode(table, train, Encoding(), ["n"]).matrix, standard, rtol=1e-5, atol=1e-6)
    minmax = MinMaxScaler(clip=True).fit(numbers[train]).transform(numbers)
    np.testing.assert_allclose(encode(table, train, Encoding(scaling="minmax"), ["n"]).matrix, minmax, atol=1e-6)


def test_levels_unseen_in_training_and_missing_ones_set_no_indicator():
    table = table_of(Column("job", np.array([0, 1, 2, -1]), levels=("a", "b", "c")))
    encoded = encode(table, np.array([0, 1]), Encoding())
    assert encoded.names == ("job=a", "job=b")
    assert encoded.matrix.tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]


def test_a_level_that_is_missing_in_training_is_one_of_its_own():
    table = table_of(Column("job", np.array([0, -1, 1, -1]), levels=("a", "b")))
    encoded = encode(table, np.array([0, 1]), Encoding())
    assert encoded.names == ("job=a", "job=(missing)")
    assert encoded.matrix.tolist() == [[1, 0], [0, 1], [0, 0], [0, 1]]


def test_ordinal_numbers_levels_by_the_alphabet():
    table = table_of(Column("job", np.array([0, 1, 2, -1]), levels=("z", "a", "m")))
    encoded = encode(table, np.array([0, 1]), Encoding("ordinal", "minmax"))
    assert encoded.names == ("job",)
    assert encoded.matrix[:, 0].tolist() == [1, 0, 0, 0]


def test_hash_buckets_are_those_of_murmurhash():
    table = table_of(Column("job", np.array([0, 1, -1]), levels=("a", "b")))
    encoded = encode(table, np.array([0]), Encoding("hash", hash_width=7))
    assert encoded.matrix.shape == (3, 7)
    buckets = [murmurhash3_32(f"job={level}", positive=True) % 7 for level in ("a", "b", "(missing)")]
    assert encoded.matrix.argmax(axis=1).tolist() == buckets
    assert encoded.matrix.sum(axis=1).tolist() == [1, 1, 1]


def test_missing_numbers_become_the_median_of_the_training_rows():
    table = table_of(Column("age", np.array([1.0, 2.0, 9.0, np.nan, 100.0])))
    encoded = encode(table, np.array([0, 1, 2]), Encoding(scaling="minmax"))
    assert encoded.matrix[3, 0] == encoded.matrix[1, 0]


def test_a_column_that_is_all_missing_or_constant_in_training_becomes_zero():
    for scaling in ("standard", "minmax"):
        for values in ([np.nan, np.nan, np.nan], [5.0, 5.0, np.nan]):
            encoded = encode(table_of(Column("x", np.array(values))), np.array([0, 1]), Encoding(scaling=scaling))
            assert encoded.matrix.tolist() == [[0], [0], [0]]


def test_public_limits_come_before_what_training_rows_show():
    table = table_of(Column("x", np.array([2.0, 4.0, 12.0]), limits=(0.0, 10.0)))
    encoded = encode(table, np.array([0, 1]), Encoding(scaling="minmax"))
    assert encoded.matrix[:, 0].tolist() == pytest.approx([0.2, 0.4, 1.0])


def test_pixels_share_one_mean_and_deviation_per_channel():
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 256, size=(30, 3, 4, 5)).astype(np.uint8)
    pictures[:, 1] //= 4
    pictures[:, :, 0, 0] = 7  # a constant pixel stays
    table = picture_table("p", pictures, np.arange(30) % 2, ("a", "b"), limits=(0, 255))
    train = np.arange(20)
    encoded = encode(table, train, Encoding())
    channels = pictures[train].astype(float).transpose(1, 0, 2, 3).reshape(3, -1)
    expected = (pictures - channels.mean(axis=1)[:, None, None]) / channels.std(axis=1)[:, None, None]
    np.testing.assert_allclose(encoded.matrix, expected.reshape(30, -1), atol=1e-5)
    minmax = encode(table, train, Encoding(scaling="minmax")).matrix
    np.testing.assert_allclose(minmax, pictures.reshape(30, -1) / 255, atol=1e-6)
    assert encoded.matrix.dtype == minmax.dtype == np.float32


def test_too_many_levels_for_one_hot_are_refused_with_a_way_out():
    table = table_of(Column("zip", np.arange(5001), levels=tuple(f"{place:05}" for place in range(5001))))
    with pytest.raises(BadTable, match=r"5001 categories.*--encoding hash"):
        encode(table, np.arange(5001), Encoding())
    assert encode(table, np.arange(5001), Encoding("hash")).matrix.shape == (5001, 32)


def test_unknown_columns_are_named():
    with pytest.raises(UnknownName, match="did you mean 'age'"):
        encode(table_of(Column("age", np.arange(3.0))), np.arange(3), Encoding(), ["agee"])


def test_a_column_that_is_constant_on_the_training_rows_does_not_blow_up():
    values = np.concatenate((np.full(800, 1.1), [2.0, 0.5]))  # the deviation of 800 times 1.1 is 4e-16
    encoded = encode(table_of(Column("a", values)), np.arange(800), Encoding()).matrix
    assert np.abs(encoded).max() < 10


def test_numbers_too_large_to_be_scaled_are_refused_by_name():
    table = table_of(Column("huge", np.linspace(1e299, 1e300, 50)))
    with pytest.raises(BadTable, match="'huge' holds numbers as large as"):
        encode(table, np.arange(40), Encoding())
