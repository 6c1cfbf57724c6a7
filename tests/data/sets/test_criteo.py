import os
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from sklearn.utils import murmurhash3_32

from samples import needs_data
from seepage.data import DATASETS, Column, Encoding, encode, load_dataset, sources
from seepage.data.sets.criteo import WIDTH, balanced, counted, hashes_of
from seepage.errors import DataUnavailable


def few_ads():
    return (
        Column("I1", np.array([3.0, np.nan, -1.0])),
        Column("I2", np.array([3, 5, 120000])),
        Column("C1", np.array([1, -1, 0]), levels=("05db9164", "68fd1e64")),
        Column("C2", np.array([0, 0, 0]), levels=("68fd1e64",)),
    )


FEW_ADS = [
    ["I1=3", "I2=3", "C1=68fd1e64", "C2=68fd1e64"],
    ["I1=(missing)", "I2=5", "C1=(missing)", "C2=68fd1e64"],
    ["I1=-1", "I2=120000", "C1=05db9164", "C2=68fd1e64"],
]


def naive(words):
    """Count as the authors' code does, one feature after the other."""
    counts = np.zeros(WIDTH, dtype=int)
    hashes = [murmurhash3_32(word, positive=True) for word in words]
    for one in hashes:
        counts[one % WIDTH] += 1
    for one, other in combinations(hashes, 2):
        counts[(one ^ other) % WIDTH] += 1
    return counts


def test_counts_are_those_of_a_plain_loop():
    np.testing.assert_array_equal(counted(hashes_of(few_ads())).T, [naive(words) for words in FEW_ADS])


def test_many_rows_are_counted_like_one():
    hashes = np.random.default_rng(0).integers(0, 16, (5, 1203))
    counts = counted(hashes, width=16)
    assert counts.dtype == np.uint8
    assert np.all(counts.sum(axis=0) == 5 + 10)
    for row in (0, 499, 500, 1202):
        np.testing.assert_array_equal(counts[:, row], counted(hashes[:, row : row + 1], width=16)[:, 0])


def test_other_processes_hash_alike():
    code = (
        "import numpy as np; from seepage.data.sets.criteo import hashes_of; from seepage.data import Column; "
        "print(hashes_of((Column('C1', np.array([0, -1]), levels=('68fd1e64',)),)).tolist())"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", code], check=True, env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "[[4653, 6386]]"


def test_pairs_of_equal_numbers_do_not_share_a_hash():
    numbers = np.arange(50.0)
    first, second = hashes_of((Column("I1", numbers), Column("I2", numbers)))
    assert len(np.unique(first ^ second)) > 45


def test_balanced_rows_are_half_and_half_and_not_those_of_the_beginning():
    labels = np.repeat([0, 1], [900, 100])
    kept = balanced(labels)
    assert np.bincount(labels[kept]).tolist() == [100, 100]
    assert np.all(np.diff(kept) > 0)
    assert kept[50] > 200
    np.testing.assert_array_equal(kept, balanced(labels))


@pytest.mark.parametrize("name", ["criteo_hashed", "criteo_balanced"])
def test_without_the_file_of_criteo_they_say_what_is_missing(name, tmp_path, monkeypatch):
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path / "cache")
    with pytest.raises(DataUnavailable, match=r"'criteo' is not here") as caught:
        DATASETS[name]()
    assert "criteo.parquet" in str(caught.value)


@needs_data
def test_hashed_ads_have_a_count_for_every_feature_and_pair():
    ads, plain = load_dataset("criteo_hashed"), load_dataset("criteo", impute=True)
    assert (ads.rows, ads.column_names[0], ads.column_names[-1]) == (10_000, "hash_0", "hash_8191")
    np.testing.assert_array_equal(ads.labels, plain.labels)
    counts = np.stack([column.values for column in ads.columns])
    assert counts.dtype == np.uint8
    assert np.all(counts.sum(axis=0, dtype=int) == 39 + 741)
    assert {column.limits for column in ads.columns} == {(0.0, float(counts.max()))} == {(0.0, 5.0)}
    words = [
        f"{column.name}=" + (column.levels[value] if column.levels else f"{value:.0f}")
        if (value >= 0 if column.levels else np.isfinite(value))
        else f"{column.name}=(missing)"
        for column in plain.columns
        for value in [column.values[77]]
    ]
    np.testing.assert_array_equal(counts[:, 77], naive(words))


@needs_data
def test_balanced_ads_are_hashed_ads_of_both_classes_alike_and_minmax_keeps_their_counts():
    ads, few = load_dataset("criteo_hashed"), load_dataset("criteo_balanced")
    assert np.bincount(few.labels).tolist() == [2182, 2182]
    np.testing.assert_array_equal(few["hash_5"].values, ads["hash_5"].values[few.ids])
    np.testing.assert_array_equal(few.labels, ads.labels[few.ids])
    names = few.column_names[:20]
    encoded = encode(few, np.arange(0, few.rows, 2), Encoding(scaling="minmax"), names).matrix
    np.testing.assert_allclose(encoded.T * 5, [few[name].values for name in names], rtol=1e-6)
