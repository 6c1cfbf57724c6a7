"""Texts that are brought along."""

import pyarrow as pa
from pyarrow import parquet

from seepage.data.catalog import load_dataset
from seepage.layouts import TextShape


def test_questions_are_read_as_words(tmp_path, monkeypatch, recwarn):
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    rows = {
        "text": ["Why is the sky blue?", "How do I cook rice"],
        "label": ["science", "food"],
        "split": ["train", "test"],
    }
    parquet.write_table(pa.table(rows), tmp_path / "yahoo_answers.parquet")
    table = load_dataset("yahoo_answers")
    assert table.layout == TextShape(128, 8192)
    assert (table.classes, table.official_test.tolist()) == (("food", "science"), [False, True])
    held = sum((column.values > 0).astype(int) for column in table.columns)
    assert held.tolist() == [5, 5]
    assert not recwarn.list  # nobody misses the column that says who is tested
