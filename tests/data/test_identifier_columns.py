"""Words that name the rows are no feature."""

import pytest

from seepage.data import ColumnLeftOut, read_table


def test_a_column_of_different_words_is_left_out_with_a_hint(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name,age,y\n" + "".join(f"n{row},{row % 7},{row % 2}\n" for row in range(30)))
    with pytest.warns(ColumnLeftOut, match="--id name"):
        table = read_table(path, label="y")
    assert table.column_names == ("age",)
    assert read_table(path, label="y", id_column="name").ids[3] == "n3"


@pytest.mark.parametrize("first", [0, 1, 1000])
def test_a_column_of_row_numbers_is_left_out_with_a_hint(first, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("row,age,y\n" + "".join(f"{row + first},{row % 7},{row % 2}\n" for row in range(30)))
    with pytest.warns(ColumnLeftOut, match="--id row"):
        assert read_table(path, label="y").column_names == ("age",)


def test_a_column_whose_words_repeat_once_is_kept(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("town,age,y\n" + "".join(f"n{max(1, row)},{row % 7},{row % 2}\n" for row in range(30)))
    assert read_table(path, label="y").column_names == ("town", "age")
