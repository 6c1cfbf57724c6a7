"""Patches of patients, dealt in turn and cut apart again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.data import Encoding, stratified_split
from seepage.data.catalog import load_dataset
from seepage.data.sets.patches import dealt_in_turn, side_by_side
from seepage.errors import DataUnavailable
from seepage.layouts import ImageShape
from seepage.partition import Dealing, partition_table
from seepage.randomness import stream


def naive(patients, labels, parties):
    """Go through the patches one by one; a patient's label has a pile, and a full pile is a row."""
    piles, rows = {}, []
    for place, key in enumerate(zip(patients, labels, strict=True)):
        piles.setdefault(key, []).append(place)
        if len(piles[key]) == parties:
            rows.append(piles.pop(key))
    return sorted(rows)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=60), st.integers(2, 5))
def test_patches_are_dealt_as_one_would_by_hand(patches, parties):
    patients, labels = np.array(patches).T
    assert dealt_in_turn(patients, labels, parties).tolist() == naive(patients, labels, parties)


def test_patches_stand_from_left_to_right():
    patches = np.random.default_rng(0).integers(0, 256, size=(5, 3, 2, 4, 6), dtype=np.uint8)
    pictures = side_by_side(patches)
    assert pictures.shape == (5, 2, 4, 18)
    for place in range(3):
        assert np.array_equal(pictures[..., 6 * place : 6 * (place + 1)], patches[:, place])


@pytest.mark.parametrize(("name", "parties"), [("bhi", 2), ("bhi_4", 4)])
def test_every_party_holds_one_patch_of_the_same_patient(tmp_path, monkeypatch, name, parties):
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    patients, labels = np.repeat([0, 1, 2], 16), np.tile(np.repeat([0, 1], 8), 3)
    patches = np.zeros((48, 3, 50, 50), np.uint8)
    patches += np.arange(48, dtype=np.uint8)[:, None, None, None]  # a patch shows its number
    np.savez(tmp_path / "bhi.npz", x=patches, y=labels, patient=patients)
    table = load_dataset(name)
    assert table.layout == ImageShape(3, 50, 50 * parties)
    assert table.rows == 48 // parties
    split = stratified_split(table, stream(0, "split"))
    dealt = Dealing(kind="stripes", parties=parties).deal(table, split.train, stream(0, "partition"))
    data = partition_table(table, dealt, split, Encoding(scaling="minmax"))
    assert all(part.layout == ImageShape(3, 50, 50) for part in data.parts.values())
    shown = np.stack([np.round(part.features[:, 0] * 255).astype(int) for part in data.parts.values()], axis=1)
    assert (np.diff(shown, axis=1) == 1).all()  # neighbors in the archive
    assert len({*patients[shown].ravel()}) == 3
    assert (patients[shown] == patients[shown[:, :1]]).all()
    assert (labels[shown] == table.labels[:, None]).all()


def test_an_archive_without_patients_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    np.savez(tmp_path / "bhi.npz", x=np.zeros((2, 3, 50, 50), np.uint8), y=[0, 1])
    with pytest.raises(DataUnavailable, match="arrays x, y, patient"):
        load_dataset("bhi")
    np.savez(tmp_path / "bhi.npz", x=np.zeros((2, 3, 50, 40), np.uint8), y=[0, 1], patient=[0, 0])
    with pytest.raises(DataUnavailable, match="does not hold what is expected"):
        load_dataset("bhi")
