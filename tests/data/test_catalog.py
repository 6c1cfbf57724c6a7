import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from seepage.data import sources
from seepage.data.catalog import DATASETS, load_dataset
from seepage.data.sets import cifar10, fashion_mnist
from seepage.data.sets.cifar10 import load_cifar10
from seepage.data.sets.pictures import StoredPictures
from seepage.data.sets.stored import STORED, StoredTable
from seepage.data.split import stratified_split
from seepage.errors import BadSetting, BadTable, DataUnavailable, UnknownName
from seepage.layouts import ImageShape

FOLDER = os.environ.get("SEEPAGE_DATA")
with_data = pytest.mark.skipif(not FOLDER, reason="needs the data folder that SEEPAGE_DATA names")
BUILT_IN = ("breast_cancer", "digits", "iris", "wine")
TABLES = {name: table for name, table in vars(STORED).items() if table.source.sha256}
CONSTANT_IN_HEALTH = {"age_MISS", "sexMISS"}


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path


def manifest():
    return {entry["name"]: entry for entry in json.loads(Path(FOLDER, "MANIFEST.json").read_text())["datasets"]}


def test_listing_imports_nothing_heavy():
    heavy = "{'sklearn', 'pyarrow', 'scipy', 'torch'} & set(sys.modules)"
    code = f"import sys; from seepage.data.catalog import DATASETS; list(DATASETS); sys.exit(bool({heavy}))"
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )


def test_every_entry_loads_something_to_call_and_says_what_it_is():
    for name, entry in DATASETS.own.items():
        assert callable(DATASETS[name]), name
        assert entry.summary.endswith("."), name


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'adult'"):
        load_dataset("adlut")


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_data_need_no_file(no_data, name):
    table = load_dataset(name)
    assert table.name == name
    assert len(np.unique(table.labels)) == len(table.classes)


def test_digits_are_pictures_of_small_numbers():
    table = load_dataset("digits")
    assert table.layout == ImageShape(1, 8, 8)
    assert table.columns[0].limits == (0.0, 16.0)
    assert table.columns[0].values.dtype == np.uint8


def test_synthetic_tables_have_the_sizes_of_the_paper():
    first, second = load_dataset("synthetic-1"), load_dataset("synthetic-2")
    assert (first.rows, len(first.columns), len(first.classes)) == (100_000, 25, 10)
    assert (second.rows, len(second.columns), len(second.classes)) == (100_000, 50, 5)


def test_synthetic_tables_take_their_sizes_from_the_name_and_repeat_themselves():
    name = "synthetic:rows=200,features=7,classes=3,seed=5"
    table = load_dataset(name)
    assert (table.rows, len(table.columns), len(table.classes), table.name) == (200, 7, 3, name)
    assert table.checksum == load_dataset(name).checksum
    assert table.checksum != load_dataset(name.replace("seed=5", "seed=6")).checksum


@pytest.mark.parametrize(
    "settings", ["rows=two", "rows", "rows=-3", "rows=1", "features=2,classes=9", "rows=5,classes=4"]
)
def test_impossible_synthetic_tables_are_refused(settings):
    with pytest.raises(BadSetting):
        load_dataset(f"synthetic:{settings}")


def test_a_misspelled_synthetic_setting_is_named():
    with pytest.raises(UnknownName, match="did you mean 'rows'"):
        load_dataset("synthetic:row=3")


@pytest.mark.parametrize(
    "name",
    sorted(
        {*DATASETS.own}
        - {*BUILT_IN, "synthetic-1", "synthetic-2", "adult", "adult_distinct", "fashion_mnist"}
        - {"criteo_hashed", "criteo_balanced"}
    ),
)
def test_absent_data_sets_say_where_they_come_from_and_where_to_put_them(no_data, name):
    with pytest.raises(DataUnavailable) as caught:
        load_dataset(name)
    message = str(caught.value)
    assert f"'{name}' is not here" in message
    assert str(no_data) in message
    assert "$SEEPAGE_DATA" in message


def test_cifar_is_recognized_by_its_arrays(no_data):
    for file in cifar10.SHA256:
        np.savez(no_data / file, x=np.zeros((2, 3, 32, 32), np.uint8), y=np.zeros(2, np.uint8))
    with pytest.raises(DataUnavailable, match="does not hold the pictures of the official batch"):
        load_cifar10()
    (no_data / "cifar10_train_1.npz").write_bytes(b"not an archive")
    with pytest.raises(DataUnavailable, match="not a readable"):
        load_cifar10()


def test_pickled_arrays_are_never_opened(no_data):
    np.savez(no_data / "cifar10_train_1.npz", x=np.array([{"a": 1}], dtype=object), y=np.zeros(1))
    with pytest.raises(DataUnavailable, match="not a readable"):
        load_cifar10()


def test_tables_and_pictures_that_were_brought_along_are_read(no_data):
    (no_data / "t.csv").write_text("ID,a,label,split\n1,5,u,train\n2,6,v,test\n")
    table = StoredTable(sources.Source("t", "t.csv", "here", contents="a table"), label="label", id_column="ID")()
    assert table.column_names == ("a",)
    assert table.official_test.tolist() == [False, True]
    np.savez(no_data / "p.npz", x=np.zeros((2, 1, 2, 2), np.uint8), y=[3, 8], test=[False, True])
    archive = sources.Source("p", "p.npz", "here", contents="pictures")
    pictures = StoredPictures(archive, (1, 2, 2))()
    assert pictures.layout == ImageShape(1, 2, 2)
    assert pictures.classes == ("3", "8")
    with pytest.raises(DataUnavailable, match="does not hold what is expected"):
        StoredPictures(archive, (3, 2, 2))()


@with_data
def test_what_is_written_here_about_files_agrees_with_the_manifest():
    described = manifest()
    files = {**TABLES, "fashion_mnist": fashion_mnist}
    assert set(files) | {"cifar10"} == set(described)
    for name, file in TABLES.items():
        entry = described[name]
        assert (file.source.sha256, file.source.file) == (entry["sha256"], entry["file"]), name
        assert file.label == entry["label_column"], name
        constant = CONSTANT_IN_HEALTH if name == "health" else set()
        assert set(file.drop) - constant == set(entry["non_feature_columns"]), name
        assert file.source.license.split()[0] == entry["licence"].split()[0] or name == "fars", name
    assert fashion_mnist.PREPARED.sha256 == described["fashion_mnist"]["sha256"]
    assert list(fashion_mnist.CLASSES) == described["fashion_mnist"]["class_names"]
    assert list(cifar10.CLASSES) == described["cifar10"]["class_names"]
    digests = json.loads(Path(FOLDER, "cifar10_sha256.json").read_text())
    assert {f"{f}:{a}": d for f, both in cifar10.SHA256.items() for a, d in zip("xy", both, strict=True)} == digests


@with_data
@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_stored_table_loads_as_the_manifest_describes_it(name):
    entry, table = manifest()[name], load_dataset(name, impute=name == "criteo")
    features = [column for column in entry["feature_columns"] if name != "health" or column not in CONSTANT_IN_HEALTH]
    assert list(table.column_names) == features
    assert table.rows == entry["rows"]
    assert {column.name for column in table.columns if column.is_categorical} == set(entry["categorical_columns"])
    assert (table.official_test is not None) == bool(entry["official_split"])
    if name != "news":
        counts = dict(zip(table.classes, np.bincount(table.labels).tolist(), strict=True))
        assert counts == entry["class_counts"]
    split = stratified_split(table, np.random.default_rng(0))
    assert set(table.labels[split.train]) == set(range(len(table.classes)))


@with_data
def test_news_has_five_classes_of_about_one_size():
    counts = np.bincount(load_dataset("news").labels)
    assert len(counts) == 5
    assert counts.min() > 0.18 * counts.sum()


@with_data
def test_missing_values_of_a_named_data_set_are_refused_like_those_of_a_file():
    with pytest.raises(BadTable, match="column 'I1' has 4481 of 10000 cells"):
        load_dataset("criteo")


@with_data
def test_the_original_adult_files_give_the_same_table_as_the_prepared_one(no_data, monkeypatch):
    prepared = parquet.read_table(Path(FOLDER, "adult.parquet"))
    rows = list(zip(*(column.to_pylist() for column in prepared.columns), strict=True))
    for file, part, head, tail in [
        ("adult.data", "train", "", ""),
        ("adult.test", "test", "|1x3 Cross validator\n", "."),
    ]:
        lines = [", ".join(map(str, row[:-1])) + tail + "\n" for row in rows if row[-1] == part]
        (no_data / file).write_text(head + "".join(lines) + "\n")
    from_originals = load_dataset("adult")  # the digests of the originals are checked on the way
    monkeypatch.setenv("SEEPAGE_DATA", FOLDER)
    assert from_originals.checksum == load_dataset("adult").checksum


@with_data
def test_distinct_adults_are_those_of_adult_without_weights_and_repetitions():
    adult_, distinct = load_dataset("adult"), load_dataset("adult_distinct")
    assert distinct.rows == 44_355  # paper 000, Table III
    assert distinct.column_names == tuple(name for name in adult_.column_names if name != "fnlwgt")
    rows = [
        list(
            zip(
                *(table[name].values.tolist() for name in distinct.column_names),
                table.labels,
                table.official_test,
                strict=True,
            )
        )
        for table in (adult_, distinct)
    ]
    assert rows[1] == list(dict.fromkeys(rows[0]))  # the first of each, in order
    assert all(np.array_equal(distinct[name].values, adult_[name].values[distinct.ids]) for name in ("age", "sex"))
    assert distinct.checksum != adult_.checksum


@with_data
def test_fashion_mnist_stays_bytes_and_its_original_files_give_the_same_table(no_data, monkeypatch):
    with np.load(Path(FOLDER, "fashion_mnist.npz"), allow_pickle=False) as archive:
        for name, source in fashion_mnist.ORIGINALS.items():
            array = archive[name]
            sizes = np.array(array.shape, dtype=">u4").tobytes()
            (no_data / source.file).write_bytes(bytes([0, 0, 8, array.ndim]) + sizes + array.tobytes())
    table = load_dataset("fashion_mnist")
    assert table.layout == ImageShape(1, 28, 28)
    assert table.columns[0].values.dtype == np.uint8
    assert np.count_nonzero(table.official_test) == 10_000
    monkeypatch.setenv("SEEPAGE_DATA", FOLDER)
    assert table.checksum == load_dataset("fashion_mnist").checksum


@pytest.mark.parametrize("content", [b"", b"\x00\x00\x08\x01\x00\x00\x00\x09abc", b"\x01\x00\x08\x01\x00\x00\x00\x01a"])
def test_a_damaged_idx_file_is_refused(tmp_path, content):
    (tmp_path / "broken").write_bytes(content)
    with pytest.raises(DataUnavailable, match="no IDX file"):
        fashion_mnist.read_idx(tmp_path / "broken")


def test_words_of_a_prepared_file_stay_words_even_when_they_look_like_numbers():
    arrow = pa.table({"code": ["1", "2", "?"], "y": [0, 1, 1]})
    table = StoredTable(STORED.criteo.source, label="y").typed(arrow)
    assert table["code"].levels == ("1", "2", "?")
