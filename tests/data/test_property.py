"""Predicates on one column: categories, numbers and ranges."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hand_made import table_of
from seepage.data import Property
from seepage.data.table import Column
from seepage.errors import BadSetting, BadTable, UnknownName

AGES = np.array([17.0, 18.0, 40.5, 66.0, np.nan])
SEX = Column("sex", np.array([0, 1, 1, 0, 1]), (" Female", " Male"))
TABLE = replace(table_of(Column("age", AGES), SEX, name="people"), label_name="paid")


def rows_of(text):
    return Property.parse(text).rows_of(TABLE).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sex=Male", [False, True, True, False, True]),
        (" sex = Female ", [True, False, False, True, False]),
        ("age=18", [False, True, False, False, False]),
        ("age=18..66", [False, True, True, True, False]),
        ("age=40.5..", [False, False, True, True, False]),
        ("age=..18", [True, True, False, False, False]),
        ("age=-3.5..17.5", [True, False, False, False, False]),
    ],
)
def test_categories_numbers_and_ranges_with_both_ends_are_found(text, expected):
    assert rows_of(text) == expected


def test_a_row_without_a_value_has_no_property():
    assert not rows_of("age=0..1000")[-1] and not rows_of("age=..1000")[-1]


@given(column=st.text("abc xyz_-", min_size=1), value=st.text("abc 019.-=", min_size=1))
def test_a_property_is_written_as_it_is_read(column, value):
    if column.strip() and value.strip():
        asked = Property.parse(f"{column}={value}")
        assert Property.parse(str(asked)) == asked
        assert (asked.column, asked.value) == (column.strip(), value.strip())


@given(low=st.floats(-50, 50), high=st.floats(-50, 50))
def test_a_range_holds_what_lies_between_its_ends(low, high):
    ages = np.linspace(-60, 60, 25)
    table = table_of(Column("age", ages))
    expected = (ages >= low) & (ages <= high)
    asked = Property.parse(f"age={low!r}..{high!r}")
    if low > high or not expected.any():
        with pytest.raises((BadSetting, BadTable)):
            asked.rows_of(table)
    else:
        assert np.array_equal(asked.rows_of(table), expected)


@pytest.mark.parametrize("text", ["sex", "sex=", "=Male", "", " = ", "sex Male"])
def test_what_is_not_column_and_value_is_refused(text):
    with pytest.raises(BadSetting, match="is not COLUMN=VALUE"):
        Property.parse(text)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("sexx=Male", UnknownName, "No column is called 'sexx'; did you mean 'sex'"),
        ("sex=male", UnknownName, "No value of 'sex' is called 'male'; did you mean 'Male'"),
        ("age=old", BadSetting, "'age' holds numbers, but 'old' is neither a number nor a range"),
        ("age=1..old", BadSetting, "neither a number nor a range"),
        ("age=..", BadSetting, "the range has no end"),
        ("age=50..30", BadSetting, "from a lower to a higher number"),
        ("age=nan", BadSetting, "from a lower to a higher number"),
        ("age=200..", BadTable, "No row of people has the property 'age=200..', so there is no fraction"),
        ("paid=yes", BadTable, "speaks about the label"),
    ],
)
def test_a_property_that_makes_no_sense_of_this_table_is_refused(text, error, words):
    with pytest.raises(error, match=words.replace("..", r"\.\.")):
        rows_of(text)


def test_a_property_that_every_row_has_is_refused():
    everybody = table_of(Column("age", np.arange(3.0)))
    with pytest.raises(BadTable, match="Every row of t has"):
        Property.parse("age=0..").rows_of(everybody)
