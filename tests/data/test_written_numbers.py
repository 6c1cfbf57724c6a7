"""Numbers with commas are read where a column leaves no doubt, and never silently taken for words."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import write_csv
from seepage.data import CommasInNumbers, read_table
from seepage.data.written_numbers import written


def european(value: float) -> str:
    """Write a number as spreadsheets in Europe do."""
    return f"{value:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20))
def test_what_is_written_with_two_decimals_is_read_back(values):
    words = [european(value) for value in values]
    found = written(words)
    assert found.comma == "decimal"
    assert [float(found.plain(word)) for word in words] == [float(f"{value:.2f}") for value in values]


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=20), st.integers(10**6, 10**9))
def test_thousands_are_read_back(values, large):
    words = [f"{value:,}" for value in [large, *values]]
    found = written(words)
    assert found.comma == "thousands"
    assert [int(found.plain(word)) for word in words] == [large, *values]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize(
    ("cells", "expected", "said"),
    [
        (["0,126", "1,250", "3", "-2,5"], [0.126, 1.25, 3, -2.5], "a decimal comma: '0,126' is read as 0.126"),
        (["1.234,5", "2,5", "1.000", "7"], [1234.5, 2.5, 1000, 7], "a decimal comma"),
        (["1,234", "1,234,567", "999", "5.5"], [1234, 1234567, 999, 5.5], "thousands: '1,234' is read as 1234"),
        (["1,234", "2,345", "3,456", "1,111"], [1234, 2345, 3456, 1111], "thousands"),
        (["1,5E-3", "2,0", "3", "4"], [0.0015, 2, 3, 4], "a decimal comma"),
    ],
)
def test_a_column_without_doubt_is_one_of_numbers_and_that_is_said(ending, cells, expected, said, tmp_path):
    path, columns = tmp_path / f"people{ending}", {"a": cells * 10, "y": ["no", "yes"] * 20}
    if ending == ".csv":
        write_csv(path, **columns)
    else:
        pq.write_table(pa.table(columns), path)
    with pytest.warns(CommasInNumbers, match=said):
        table = read_table(path, label="y")
    assert not table["a"].is_categorical
    np.testing.assert_allclose(table["a"].values[:4], expected)
    assert len(table.remarks) == 1 and "'a'" in table.remarks[0]


@pytest.mark.parametrize("cells", [["1,234", "999"], ["1,5", "1.5"], ["1,2,3", "2,3"]])
def test_a_column_in_doubt_stays_words_and_that_is_said(cells, tmp_path):
    path = tmp_path / "people.csv"
    write_csv(path, a=cells * 20, b=range(40, 0, -1), y=["no", "yes"] * 20)
    with pytest.warns(CommasInNumbers, match="column 'a' .* read as words. Write them with a decimal point"):
        assert read_table(path, label="y")["a"].is_categorical


def test_names_with_commas_are_names(tmp_path):
    write_csv(tmp_path / "people.csv", a=["Doe, Jane", "Roe, Jim"] * 20, b=range(40, 0, -1), y=["no", "yes"] * 20)
    table = read_table(tmp_path / "people.csv", label="y")
    assert table["a"].levels == ("Doe, Jane", "Roe, Jim") and not table.remarks


def test_thousands_and_decimals_of_a_file_with_semicolons_are_read_without_a_word(tmp_path):
    (tmp_path / "people.csv").write_text("a;b;y\n" + "1.234,5;1,500;no\n7,25;2,000;yes\n" * 20)
    table = read_table(tmp_path / "people.csv", label="y")
    np.testing.assert_allclose(table["a"].values[:2], [1234.5, 7.25])
    np.testing.assert_allclose(table["b"].values[:2], [1.5, 2.0])


@pytest.mark.parametrize("first", [2**53 + 1, 10**18 + 1, 10**25])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_large_whole_numbers_that_differ_are_no_constant(first, ending, tmp_path):
    path, offsets = tmp_path / f"people{ending}", [0, 3, 1, 2] * 10
    if ending == ".parquet" and first >= 2**63:
        pytest.skip("Parquet has no whole numbers of that size")
    columns = {"a": [first + offset for offset in offsets], "b": list(range(40, 0, -1)), "y": ["no", "yes"] * 20}
    if ending == ".csv":
        write_csv(path, **columns)
    else:
        pq.write_table(pa.table(columns), path)
    values = read_table(path, label="y")["a"].values
    assert len(np.unique(values)) > 1
    if first == 10**18 + 1:
        np.testing.assert_array_equal(values, offsets)
