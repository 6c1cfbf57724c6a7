from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hand_made import table_of
from samples import small_data
from seepage.data.catalog import load_dataset
from seepage.data.encoding import Encoding
from seepage.data.property import Property
from seepage.data.sets.pictures import picture_table
from seepage.data.split import Split
from seepage.data.table import Column
from seepage.errors import BadPartition
from seepage.layouts import ImageShape, Plain
from seepage.partition import Dealing, Partition, partition_table

SPLIT = Split(np.arange(20), np.arange(20, 30))


def mixed_table(seed=0):
    rng = np.random.default_rng(seed)
    words = tuple(Column(f"w{place}", rng.integers(0, 4, size=30), levels=tuple("abcd")) for place in range(4))
    numbers = tuple(Column(f"n{place}", rng.normal(size=30)) for place in range(4))
    return table_of(*words, *numbers)


@given(parties=st.integers(2, 5), kind=st.sampled_from(["one-hot", "ordinal", "hash"]), seed=st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_the_encoded_columns_of_an_attribute_stay_together(parties, kind, seed):
    table = mixed_table()
    partition = Dealing(parties=parties).deal(table, SPLIT.train, np.random.default_rng(seed))
    data = partition_table(table, partition, SPLIT, Encoding(kind))
    for part in data.parts.values():
        assert {name.split("=")[0] for name in part.names} == set(part.columns)
        assert [part.columns[place] for place in part.attributes] == [name.split("=")[0] for name in part.names]
        assert part.features.shape == (30, len(part.names))


def test_only_the_active_party_gets_labels():
    data = partition_table(mixed_table(), Partition({"bank": ("w0",), "shop": ("n0",)}), SPLIT, Encoding())
    assert data.active == "bank"
    np.testing.assert_array_equal(data.labels, np.arange(30) % 2)
    assert data.parts["shop"].labels is None


def test_what_a_party_does_to_its_part_stays_with_it():
    table = mixed_table()
    partition = Partition({"bank": ("w0", "n0"), "shop": ("n0", "n1")}, overlap=True)
    data = partition_table(table, partition, SPLIT, Encoding())
    before = data.parts["shop"].features.copy()
    data.parts["bank"].features[:] = 7.0
    data.parts["bank"].labels[:] = 0
    np.testing.assert_array_equal(data.parts["shop"].features, before)
    assert table.labels.sum() == 15
    for part in data.parts.values():
        assert part.features.dtype == np.float32
        assert part.features.flags.c_contiguous
        assert part.features.base is None


@pytest.mark.parametrize("encoding", [Encoding(), Encoding("ordinal", "minmax")])
def test_a_part_depends_on_its_own_columns_alone(encoding):
    table, other = mixed_table(0), mixed_table(1)
    mine = ("w0", "n2")
    columns = tuple(table[name] if name in mine else other[name] for name in table.column_names)
    changed = replace(table, columns=columns, labels=1 - table.labels)
    partition = Partition({"bank": ("w1", "n0"), "shop": mine})
    first, second = (partition_table(t, partition, SPLIT, encoding).parts["shop"] for t in (table, changed))
    np.testing.assert_array_equal(first.features, second.features)
    assert first.names == second.names


def test_an_active_party_may_hold_labels_alone():
    data = partition_table(mixed_table(), Partition({"bank": (), "shop": ("n0",)}), SPLIT, Encoding())
    assert data.parts["bank"].width == 0
    assert data.parts["bank"].features.shape == (30, 0)


def test_a_column_that_is_constant_in_training_is_allowed():
    table = table_of(Column("a", np.r_[np.zeros(20), np.ones(10)]), Column("b", np.arange(30.0)))
    data = partition_table(table, Partition({"bank": ("a",), "shop": ("b",)}), SPLIT, Encoding())
    assert np.all(data.parts["bank"].features[:20] == 0)
    assert np.isfinite(data.parts["bank"].features).all()


def pictures(channels=1):
    values = np.random.default_rng(0).integers(0, 256, size=(30, channels, 6, 8)).astype(np.uint8)
    return values, picture_table("p", values, np.arange(30) % 2, ("a", "b"), limits=(0, 255))


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("parties", [2, 3])
def test_stripes_are_pictures_that_rebuild_the_whole(channels, parties):
    values, table = pictures(channels)
    partition = Dealing("stripes", parties).deal(table, SPLIT.train, np.random.default_rng(0))
    data = partition_table(table, partition, SPLIT, Encoding(scaling="minmax"))
    stripes = []
    for part in data.parts.values():
        assert (part.layout.channels, part.layout.height) == (channels, 6)
        stripes.append(part.features.reshape(30, part.layout.channels, part.layout.height, part.layout.width))
    np.testing.assert_allclose(np.concatenate(stripes, axis=3), values / 255, atol=1e-6)


def test_pixels_dealt_at_random_are_no_picture():
    table = load_dataset("digits")
    split = Split(np.arange(1000), np.arange(1000, table.rows))
    partition = Dealing("random").deal(table, split.train, np.random.default_rng(0))
    data = partition_table(table, partition, split, Encoding())
    assert [part.layout for part in data.parts.values()] == [Plain(), Plain()]


def test_any_rectangle_in_reading_order_is_a_picture():
    _, table = pictures()
    inner = tuple(f"pixel_{row}_{column}" for row in (1, 2) for column in (3, 4, 5))
    for held, shape in [
        (inner, ImageShape(1, 2, 3)),
        (inner[::-1], Plain()),
        (inner[:-1], Plain()),
        (inner[:1], Plain()),
    ]:
        data = partition_table(table, Partition({"bank": (), "shop": held}), SPLIT, Encoding())
        assert data.parts["shop"].layout == shape


def test_a_party_scales_pixels_by_those_it_can_see():
    values, _ = pictures()
    values[:, :, :, 4:] = 255 - values[:, :, :, 4:] // 8
    table = picture_table("p", values, np.arange(30) % 2, ("a", "b"), limits=(0, 255))
    partition = Dealing("stripes").deal(table, SPLIT.train, np.random.default_rng(0))
    for part in partition_table(table, partition, SPLIT, Encoding()).parts.values():
        assert part.features[:20].mean() == pytest.approx(0, abs=1e-5)
        assert part.features[:20].std() == pytest.approx(1, abs=1e-5)


def test_who_holds_the_attribute_of_a_property_knows_which_rows_have_it_and_nobody_else_does():
    data = small_data(properties=("mean radius=15..",))
    assert data.holders("mean radius=15..") == ("passive",)
    assert "mean radius" in data.parts["passive"].columns and not data.parts["active"].properties
    values = load_dataset("breast_cancer")["mean radius"].values
    assert np.array_equal(data.parts["passive"].properties["mean radius=15.."], values >= 15)


def test_the_victim_is_the_last_party_that_is_not_the_adversary():
    for adversary, victim in (((), "passive-2"), (("passive-2",), "passive-1"), (("active", "passive-2"), "passive-1")):
        data = small_data(adversary=adversary, properties=("mean radius=15..",), parties=3)
        assert data.holders("mean radius=15..") == (victim,)


def test_a_property_that_nobody_holds_is_refused():
    columns = {"bank": ["mean texture"], "shop": ["mean area"]}
    with pytest.raises(BadPartition, match="Nobody holds column 'mean radius'"):
        small_data(properties=("mean radius=15..",), kind="named", columns=columns)


def test_an_attribute_goes_whole_with_its_property():
    """No indicator of a category stays with the adversary, from which the property could be read off."""
    numbers = tuple(Column(f"c{place}", np.arange(12.0) % (place + 2)) for place in range(5))
    job = Column("job", np.arange(12) % 3, ("a", "b", "c"))
    table = table_of(*numbers, job)
    dealing = Dealing(kept=("job",), keeper="passive")
    partition = dealing.deal(table, np.arange(8), np.random.default_rng(0))
    data = partition_table(table, partition, Split(np.arange(8), np.arange(8, 12)), Encoding(), [Property("job", "b")])
    assert not any("job" in name for name in data.parts["active"].names)
    assert sum("job" in name for name in data.parts["passive"].names) == 3
    assert np.array_equal(data.parts["passive"].properties["job=b"], np.arange(12) % 3 == 1)


def test_a_column_that_is_left_out_is_known_to_its_holder_and_read_by_no_model():
    table = load_dataset("breast_cancer")
    asked = Property.parse("mean radius=15..")
    whole = {"active": table.column_names[15:], "passive": table.column_names[:15]}
    partition = Partition(whole, left_out=("mean radius",))
    data = partition_table(table, partition, Split(np.arange(400), np.arange(400, 569)), Encoding(), [asked])
    part = data.parts["passive"]
    assert "mean radius" not in part.columns and "mean radius" not in part.names and part.width == 14
    np.testing.assert_array_equal(part.properties[str(asked)], asked.rows_of(table))
    assert data.holders(str(asked)) == ("passive",)


@pytest.mark.parametrize(
    ("left_out", "complaint"),
    [(("nothing",), "but no party holds it"), (("mean radius",), "'passive' is to leave all its columns out")],
)
def test_columns_that_cannot_be_left_out_are_refused(left_out, complaint):
    with pytest.raises(BadPartition, match=complaint):
        Partition({"active": ("mean texture",), "passive": ("mean radius",)}, left_out=left_out)
