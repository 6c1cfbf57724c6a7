import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.data import load_dataset
from seepage.data.sampling import sampled, shares
from seepage.data.sets.pictures import picture_table
from seepage.data.table import Column, Table
from seepage.errors import BadTable


def labelled(*counts, official=None, name="tiny"):
    labels = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(labels))
    columns = (Column("place", place * 1.0), Column("kind", place % 2, levels=("a", "b")))
    classes = tuple("ABCDEF"[: len(counts)])
    return Table(name, columns, labels, classes, place + 1000, official_test=official)


@given(st.lists(st.integers(1, 40), min_size=2, max_size=6), st.data())
def test_a_sample_has_the_size_asked_for_and_two_rows_of_every_class_that_has_them(counts, data):
    table = labelled(*counts)
    least = sum(min(2, count) for count in counts)
    rows = data.draw(st.integers(least, table.rows))
    few = sampled(table, rows)
    kept = np.bincount(few.labels, minlength=len(counts))
    assert few.rows == rows
    assert np.all(kept >= np.minimum(2, counts)) and np.all(kept <= counts)
    assert np.all(np.diff(few.ids) > 0)  # in order, none twice
    np.testing.assert_array_equal(few["place"].values, few.ids - 1000)
    np.testing.assert_array_equal(few["kind"].values, (few.ids - 1000) % 2)
    np.testing.assert_array_equal(few.labels, table.labels[few.ids - 1000])


def test_classes_keep_their_shares():
    few = sampled(labelled(6000, 3000, 1000), 1000)
    np.testing.assert_allclose(np.bincount(few.labels), [600, 300, 100], atol=2)


def test_a_sample_repeats_itself_and_other_data_give_other_rows():
    table = labelled(300, 100)
    np.testing.assert_array_equal(sampled(table, 40).ids, sampled(labelled(300, 100), 40).ids)
    assert not np.array_equal(sampled(table, 40).ids, sampled(labelled(301, 100), 40).ids)
    assert sampled(table, 40).checksum != table.checksum


def test_every_row_is_as_likely_as_any_other_of_its_class():
    drawn = np.zeros(50)
    for noise in range(400):  # other data each time, so another draw
        table = labelled(40, 10)
        changed = Table("t", (Column("n", np.full(50, noise)),), table.labels, table.classes, np.arange(50))
        drawn[sampled(changed, 25).ids] += 1
    assert np.all(np.abs(drawn / 400 - 0.5) < 0.15)


def test_both_parts_of_an_official_split_keep_their_rows_of_every_class():
    official = np.tile([False, False, False, True], 101)[:402]
    table = labelled(390, 8, 4, official=official)
    few = sampled(table, 80)
    assert np.count_nonzero(few.official_test) == pytest.approx(20, abs=2)
    for part in (False, True):
        assert set(few.labels[few.official_test == part]) == {0, 1, 2}
    np.testing.assert_array_equal(few.official_test, official[few.ids - 1000])


def test_pictures_stay_pictures_in_one_array_with_contiguous_columns():
    pixels = np.random.default_rng(0).integers(0, 255, (60, 1, 3, 3)).astype(np.uint8)
    table = picture_table("p", pixels, np.arange(60) % 2, ("a", "b"), limits=(0, 255))
    few = sampled(table, 20)
    assert few.image == table.image and few.columns[0].limits == (0, 255)
    assert few.columns[0].values.base is few.columns[8].values.base is not None
    assert few.columns[4].values.dtype == np.uint8 and few.columns[4].values.flags.c_contiguous
    np.testing.assert_array_equal(few["pixel_1_2"].values, pixels[few.ids, 0, 1, 2])


def test_all_rows_are_the_table_itself():
    table = labelled(20, 20)
    assert sampled(table, 40) is table


def test_impossible_sizes_are_refused_with_what_there_is():
    with pytest.raises(BadTable, match=r"tiny has 2,500 rows, but a sample of 2,501 is asked for \(--rows\)"):
        sampled(labelled(2000, 500), 2501)
    with pytest.raises(BadTable, match=r"3 classes, .* Ask for 5 or more"):
        sampled(labelled(20, 20, 1), 4)
    with pytest.raises(ValueError, match="rows must be 1 or more, got 0"):
        sampled(labelled(20, 20), 0)


def test_columns_that_do_not_vary_in_the_sample_are_kept():
    table = load_dataset("digits")
    assert sampled(table, 40).column_names == table.column_names


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=8).filter(any), st.data())
def test_shares_add_up_and_are_within_one_of_what_is_due(sizes, data):
    sizes = np.array(sizes)
    total = data.draw(st.integers(0, int(sizes.sum())))
    given_out = shares(sizes, total)
    assert given_out.sum() == total
    assert np.all(given_out <= sizes)
    assert np.all(np.abs(given_out - sizes * total / sizes.sum()) < 1)
