"""Guesses come back from bytes as they were, and nothing else comes back at all."""

from contextlib import suppress
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from seepage.errors import BadGuess
from seepage.guesses import (
    Branches,
    BranchGuess,
    ClusterGuess,
    FeatureGuess,
    FractionGuess,
    LabelGuess,
    NormHistograms,
    guess_from_bytes,
    guess_to_bytes,
)

NAMES = st.text(max_size=5)
NOTES = st.dictionaries(NAMES, st.floats(), max_size=3)
SHARES = st.floats(0, 1)
COLUMNS = st.lists(st.tuples(NAMES, NAMES), max_size=3).map(tuple)


def numbers(dtype, *shape, **elements):
    return arrays.arrays(dtype, shape, elements=elements or None)


@st.composite
def label_guesses(draw):
    rows, classes = draw(st.integers(0, 5)), draw(st.integers(1, 4))
    return LabelGuess(
        draw(numbers(np.int64, rows)),
        draw(numbers(draw(st.sampled_from([np.float64, np.float32])), rows, classes)),
        draw(numbers(np.bool_, rows)),
        draw(st.dictionaries(NAMES, numbers(np.int64, rows), max_size=2)),
        draw(NOTES),
    )


@st.composite
def cluster_guesses(draw):
    rows = draw(st.integers(0, 5))
    steps = draw(st.dictionaries(NAMES, numbers(np.int32, rows), max_size=2))
    return ClusterGuess(draw(numbers(np.int64, rows)), draw(numbers(np.int64, rows)), steps)


@st.composite
def feature_guesses(draw):
    rows, columns = draw(st.integers(0, 5)), draw(COLUMNS)
    units = draw(numbers(np.float64, rows, len(columns), allow_nan=False, allow_infinity=False))
    return FeatureGuess(draw(numbers(np.int64, rows)), columns, units, draw(NOTES), draw(st.booleans()))


@st.composite
def branch_guesses(draw):
    rows, leaves, columns = draw(st.integers(0, 4)), draw(st.integers(1, 3)), draw(COLUMNS)
    nodes = len(columns)
    branches = Branches(
        columns,
        draw(numbers(np.float64, nodes)),
        draw(numbers(np.float64, nodes)),
        draw(numbers(np.bool_, nodes)),
        draw(numbers(np.int8, leaves, nodes)),
    )
    masks = [draw(numbers(np.bool_, rows, leaves)) for _ in range(2)]
    return BranchGuess(draw(numbers(np.int64, rows)), branches, draw(numbers(np.int64, rows)), *masks, draw(NOTES))


@st.composite
def fraction_guesses(draw):
    histograms = st.builds(
        NormHistograms, numbers(np.float64, 3), st.dictionaries(SHARES, numbers(np.float64, 2), max_size=2)
    )
    others = draw(st.dictionaries(NAMES, SHARES, max_size=2))
    return FractionGuess(draw(SHARES), others, draw(NOTES), draw(st.dictionaries(NAMES, histograms, max_size=2)))


def bits(value):
    """Return everything that a value is made of, arrays and numbers bit by bit."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if is_dataclass(value):
        return type(value), [bits(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, dict):
        return [(bits(key), bits(one)) for key, one in value.items()]
    return np.float64(value).tobytes() if isinstance(value, float) and not np.isnan(value) else repr(value)


@given(st.one_of(label_guesses(), cluster_guesses(), feature_guesses(), branch_guesses(), fraction_guesses()))
def test_every_kind_of_guess_comes_back_bit_by_bit(guess):
    assert bits(guess_from_bytes(guess_to_bytes(guess))) == bits(guess)


@given(st.binary(max_size=200))
def test_bytes_from_anywhere_are_refused(content):
    with pytest.raises(BadGuess, match="no guess that can be read"):
        guess_from_bytes(content)


@given(st.integers(0, 1000), st.integers(0, 255))
def test_a_guess_that_was_tampered_with_is_read_or_refused_but_never_runs(place, byte):
    content = bytearray(guess_to_bytes(LabelGuess(np.arange(3), np.ones((3, 2)), notes={"a": 1.0})))
    content[place % len(content)] = byte
    with suppress(BadGuess):
        assert isinstance(guess_from_bytes(bytes(content)), LabelGuess)


@pytest.mark.parametrize(
    ("thing", "fault"),
    [
        ({"rows": [1]}, "a dict is no guess"),
        (LabelGuess(np.arange(1), np.array([["a", "b"]])), "an array of <U1"),
        (LabelGuess(np.arange(1), np.ones((1, 2)), notes={"view": object()}), "a object has no place"),
    ],
)
def test_what_is_no_guess_is_not_written(thing, fault):
    with pytest.raises(BadGuess, match=fault):
        guess_to_bytes(thing)


def test_arrays_of_another_byte_order_and_layout_keep_their_values():
    scores = np.asfortranarray(np.arange(6.0).reshape(3, 2)).astype(">f8")
    again = guess_from_bytes(guess_to_bytes(LabelGuess(np.arange(6)[::2], scores)))
    assert again.rows.tolist() == [0, 2, 4] and again.scores.tolist() == scores.tolist()
