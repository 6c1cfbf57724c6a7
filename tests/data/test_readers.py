import contextlib
import datetime
import decimal
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from seepage.data.readers import ColumnLeftOut, read_table
from seepage.errors import AuditError, BadTable, UnknownName


@pytest.fixture
def csv(tmp_path):
    def write(text, name="people.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def stored(tmp_path):
    def write(**columns):
        path = tmp_path / "people.parquet"
        parquet.write_table(pa.table(columns), path)
        return path

    return write


def complaint(path, error=BadTable, **options):
    with pytest.raises(error) as caught:
        read_table(path, **{"label": "y", **options})
    message = str(caught.value)
    assert "Traceback" not in message
    assert "Arrow" not in message
    assert isinstance(caught.value, AuditError)
    return message


def test_numbers_are_numeric_and_words_are_sorted_levels(csv):
    table = read_table(csv("age,job,y\n41,clerk,no\n17.5,,yes\n66,baker,no\n"), label="y")
    assert table["age"].values.tolist() == [41.0, 17.5, 66.0]
    assert table["age"].values.dtype == np.float64
    assert table["job"].levels == ("baker", "clerk")
    assert table["job"].values.tolist() == [1, -1, 0]
    assert table.classes == ("no", "yes")
    assert table.labels.tolist() == [0, 1, 0]
    assert table.ids.tolist() == [0, 1, 2]


def test_every_parquet_type_finds_its_kind(stored):
    day, later = datetime.date(2020, 1, 1), datetime.date(2020, 1, 3)
    table = read_table(
        stored(
            small=pa.array([1, 2], pa.int8()),
            price=[decimal.Decimal("1.5"), decimal.Decimal("2.5")],
            day=[day, later],
            moment=[datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)],
            member=[True, False],
            shop=pa.array(["b", None]).dictionary_encode(),
            wide=pa.array(["u", "v"], pa.large_string()),
            y=pa.array(["no", "yes"]).dictionary_encode(),
        ),
        label="y",
    )
    numeric = {column.name for column in table.columns if not column.is_categorical}
    assert numeric == {"small", "price", "day", "moment"}
    assert np.diff(table["day"].values) == [2.0]
    assert table["member"].levels == ("false", "true")
    assert table["shop"].values.tolist() == [0, -1]


def test_dates_in_a_csv_are_numbers(csv):
    table = read_table(csv("day,y\n2020-01-01,0\n2020-01-02,1\n"), label="y")
    assert np.diff(table["day"].values) == [86_400.0]


def test_semicolons_and_a_byte_order_mark_are_read_as_spreadsheets_write_them(csv):
    assert read_table(csv(b"\xef\xbb\xbfage;y\n1;0\n2;1\n"), label="y").column_names == ("age",)


def test_a_bad_cell_far_down_is_found_as_a_cell_not_as_a_type(csv):
    lines = "".join(f"{row}.25,{row % 2}\n" for row in range(200_000))
    assert "column 'a' has 1 of 200001 cells" in complaint(csv("a,y\n" + lines + "oops,1\n"))


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([10, 9, 10], ("9", "10")),
        ([1.0, 2.0, 1.0], ("1", "2")),
        ([True, False, True], ("false", "true")),
        (["10", "9", "10"], ("9", "10")),
        (["b", "a", "b"], ("a", "b")),
    ],
)
def test_classes_are_sorted_as_numbers_when_they_are_numbers(stored, labels, classes):
    table = read_table(stored(x=[1, 2, 3], y=labels), label="y")
    assert table.classes == classes
    assert len(set(table.labels[[0, 2]])) == 1


def test_files_that_are_none_are_refused_in_a_sentence(tmp_path, csv):
    (tmp_path / "folder.csv").mkdir()
    assert "is a folder" in complaint(tmp_path / "folder.csv")
    assert "is a folder" in complaint(tmp_path)
    assert "There is no file" in complaint(tmp_path / "absent.csv")
    assert "ends in '.xlsx'" in complaint(csv("a,y\n", name="people.xlsx"))


@pytest.mark.parametrize("text", ["", "\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(csv, text):
    assert "is empty" in complaint(csv(text))


@pytest.mark.parametrize("text", ["a,y", "a,y\n", "a,y\n\n"])
def test_a_header_alone_is_refused(csv, text):
    assert "has a header but no rows" in complaint(csv(text))


def test_a_parquet_file_without_rows_is_refused(stored):
    assert "no rows" in complaint(stored(x=pa.array([], pa.int64()), y=pa.array([], pa.int64())))


@pytest.mark.parametrize("text", [b"a,y\n1,0\n2,\xe9\n", b"a,b\xe9,y\n1,2,0\n"])
def test_text_that_is_not_utf8_is_refused(csv, text):
    line = 1 + text[: text.index(b"\xe9")].count(b"\n")
    assert f"not UTF-8 text (first at line {line})" in complaint(csv(text))


def test_a_row_of_another_width_is_named_by_its_line_without_showing_it(csv):
    message = complaint(csv("a,b,y\n1,2,0\n77777,1\n3,4,1\n5\n"))
    assert "line 3 has 2 cells, but the header has 3" in message
    assert "77777" not in message


def test_a_quotation_mark_that_is_never_closed_is_refused(csv):
    complaint(csv('a,b,y\n1,"2,0\n1,2,3\n4,5,6\n'))


def test_what_only_claims_to_be_parquet_is_refused(csv, stored):
    assert "not a Parquet file" in complaint(csv("hello, world", name="fake.parquet"))
    assert "is empty" in complaint(csv("", name="fake.pq"))
    whole = stored(x=list(range(100)), y=[0, 1] * 50).read_bytes()
    assert "cut short" in complaint(csv(whole[:-20], name="cut.parquet"))
    assert "damaged" in complaint(csv(whole[:40] + bytes(50) + whole[-8:], name="broken.parquet"))


def test_unknown_columns_are_answered_with_the_nearest_one(csv):
    path = csv("age,income,y\n1,2,0\n3,4,1\n")
    assert "did you mean 'income'?" in complaint(path, UnknownName, label="incom")
    assert "did you mean 'age'?" in complaint(path, UnknownName, id_column="agee")
    assert "both as label and as id" in complaint(path, id_column="y")


def test_columns_need_names_of_their_own(csv):
    assert "2 columns are called 'a'" in complaint(csv("a,a,y\n1,2,0\n3,4,1\n"))
    assert "column 1 has no name" in complaint(csv(",a,y\n0,2,0\n1,4,1\n"))


@pytest.mark.parametrize("cell", ["", "NA", "nan"])
def test_missing_labels_are_counted(csv, cell):
    assert "missing in 1 of 3 rows" in complaint(csv(f"a,y\n1,u\n2,{cell}\n3,v\n"))
    assert "missing in 1 of 3 rows" in complaint(csv(f"a,y\n1,0\n2,{cell}\n3,1\n"))


def test_one_class_is_refused(csv):
    assert "every row has the label '0'" in complaint(csv("a,y\n1,0\n2,0\n"))


def test_a_label_that_looks_continuous_is_refused_with_its_number_of_values(csv, stored):
    assert "2 distinct values in 3 rows" in complaint(csv("a,y\n1,0.5\n2,1\n3,1\n"))
    assert "30 distinct values in 50 rows" in complaint(stored(a=range(50), y=[row % 30 for row in range(50)]))
    assert "1001 distinct values" in complaint(stored(a=range(4004), y=[f"c{row % 1001}" for row in range(4004)]))


def test_twenty_classes_of_a_small_table_are_classes(stored):
    assert len(read_table(stored(a=range(20), y=range(20)), label="y").classes) == 20


def test_missing_numbers_are_refused_unless_they_are_to_be_filled(csv):
    path = csv("a,b,c,y\n1,1,5,0\n,inf,6,1\nNA,3,7,1\n2,4,,0\n")
    message = complaint(path)
    assert "column 'a' has 2 of 4 cells" in message
    assert "2 further columns have such cells" in message
    assert "--impute" in message
    table = read_table(path, label="y", impute=True)
    assert [column.missing for column in table.columns] == [2, 1, 1]
    assert not np.isinf(table["b"].values).any()


def test_a_column_of_numbers_with_a_few_words_is_a_column_of_numbers(csv):
    path = csv("a,y\n1,0\n2,1\n?,1\n3,0\n")
    assert "column 'a' has 1 of 4 cells that are missing, infinite or not numbers" in complaint(path)
    assert read_table(path, label="y", impute=True)["a"].missing == 1


def test_a_column_of_words_with_a_few_numbers_is_a_column_of_words(csv):
    table = read_table(csv("a,y\n1,0\nx,1\n?,1\nz,0\n"), label="y")
    assert table["a"].levels == ("1", "?", "x", "z")


def test_ids_must_be_there_and_differ(csv):
    assert "occur more than once" in complaint(csv("i,a,y\n1,1,0\n1,2,1\n"), id_column="i")
    assert "missing in 1 of 2 rows" in complaint(csv("i,a,y\n,1,0\n1,2,1\n"), id_column="i")
    assert read_table(csv("i,a,y\n007,1,0\n7,2,1\n"), label="y", id_column="i").ids.tolist() == ["007", "7"]


def test_constant_columns_are_left_out_with_a_warning(csv):
    with pytest.warns(ColumnLeftOut, match="column 'b' has the same value in every row and is left out"):
        table = read_table(csv("a,b,y\n1,5,0\n2,5,1\n"), label="y")
    assert table.column_names == ("a",)


def test_a_mark_that_only_some_rows_carry_is_not_constant(csv):
    assert read_table(csv("a,flag,y\n1,yes,0\n2,,1\n"), label="y").column_names == ("a", "flag")


def test_a_table_without_features_is_refused(csv, stored):
    assert "at least one feature" in complaint(stored(y=[0, 1]))
    with pytest.warns(ColumnLeftOut):
        assert "at least one feature" in complaint(csv("a,y\n1,0\n1,1\n"))


@pytest.mark.parametrize("cells", [[[1], [2]], [b"1", b"2"], [{"a": 1}, {"a": 2}]])
def test_nested_and_binary_cells_are_refused(stored, cells):
    assert "Column 'x' holds values of type" in complaint(stored(x=cells, y=[0, 1]))


FRAGMENTS = st.lists(st.sampled_from([b"a", b"y", b",", b"\n", b'"', b";", b"0", b"1", b".5", b"\xe9", b"\x00", b"NA"]))
DAMAGE = st.lists(st.tuples(st.integers(4, 10_000), st.binary(min_size=1, max_size=4)), min_size=1, max_size=5)
SOME = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
MANY = settings(SOME, max_examples=20_000, derandomize=False)
"""A campaign: other examples each time."""


def read_or_refuse(path):
    with warnings.catch_warnings(), contextlib.suppress(AuditError):
        warnings.simplefilter("ignore", UserWarning)
        read_table(path, label="y")


def damaged(content, changes):
    content = bytearray(content)
    for place, change in changes:
        start = 4 + place % (len(content) - 12)
        content[start : start + len(change)] = change
    return bytes(content)


@given(FRAGMENTS)
@SOME
def test_whatever_a_csv_holds_is_a_table_or_a_sentence(csv, pieces):
    read_or_refuse(csv(b"a,y\n" + b"".join(pieces)))


@given(DAMAGE)
@SOME
def test_whatever_happened_to_a_parquet_file_it_is_a_table_or_a_sentence(csv, stored, changes):
    content = stored(a=range(50), word=["x", "z"] * 25, y=[0, 1] * 25).read_bytes()
    read_or_refuse(csv(damaged(content, changes), name="changed.parquet"))


@pytest.mark.torture
@given(FRAGMENTS)
@MANY
def test_no_csv_of_many_is_a_traceback(csv, pieces):
    read_or_refuse(csv(b"a,y\n" + b"".join(pieces)))


@pytest.mark.torture
@given(DAMAGE)
@MANY
def test_no_damaged_parquet_file_of_many_is_a_traceback(csv, stored, changes):
    content = stored(a=range(50), word=["x", "z"] * 25, y=[0, 1] * 25).read_bytes()
    read_or_refuse(csv(damaged(content, changes), name="changed.parquet"))


def test_labels_that_are_spelled_differently_stay_different(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("age,y\n" + "".join(f"{row % 7},{('01', '1', '2')[row % 3]}\n" for row in range(30)))
    assert read_table(path, label="y").classes == ("01", "1", "2")


def test_label_numbers_that_float64_cannot_tell_apart_are_kept_apart_as_words_or_refused(tmp_path):
    huge = [10**17 + row % 2 for row in range(30)]
    csv, stored = tmp_path / "huge.csv", tmp_path / "huge.parquet"
    csv.write_text("age,y\n" + "".join(f"{row % 7},{label}\n" for row, label in enumerate(huge)))
    assert read_table(csv, label="y").classes == (str(10**17), str(10**17 + 1))
    parquet.write_table(pa.table({"age": [row % 7 for row in range(30)], "y": huge}), stored)
    with pytest.raises(BadTable, match="cannot be told apart"):
        read_table(stored, label="y")


def test_decimal_commas_in_a_file_with_semicolons_are_numbers(tmp_path):
    path = tmp_path / "european.csv"
    rows = "".join(f"{row % 7},{row % 10};{row};{'ja' if row % 2 else 'nein'};{row % 3}\n" for row in range(60))
    path.write_text('"income, net";age;smokes;y\n' + rows)
    with contextlib.suppress(ColumnLeftOut), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        table = read_table(path, label="y")
    assert table["income, net"].values[:3].tolist() == [0.0, 1.1, 2.2]
    assert table["smokes"].levels == ("ja", "nein")


def test_words_with_commas_in_a_file_with_semicolons_stay_words(tmp_path):
    path = tmp_path / "towns.csv"
    path.write_text(
        "town;age;y\n" + "".join(f"{('Ulm, Donau', '1,5')[row % 2]};{row % 7};{row % 3}\n" for row in range(60))
    )
    assert read_table(path, label="y")["town"].levels == ("1,5", "Ulm, Donau")


def test_a_column_that_was_left_out_is_not_called_unknown(tmp_path):
    (tmp_path / "people.csv").write_text("a,b,y\n1,1,no\n1,2,yes\n1,4,no\n")
    with pytest.warns(ColumnLeftOut, match="column 'a' has the same value"):
        table = read_table(tmp_path / "people.csv", label="y")
    with pytest.raises(BadTable, match="column 'a' was left out, because it has one value in every row"):
        table["a"]
