"""Bounds that sides of splits prove: never wrong where trees were grown on the known values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.attacks.steps.values.proven_bounds import Bounds, indicator_groups, named_splits, one_of_each

SEEDS = st.integers(0, 2**32 - 1)


def drawn_splits(rng, values, count=6):
    """Split random sets of rows at random thresholds of random columns."""
    rows, width = values.shape
    columns = rng.integers(width, size=count)
    sides = np.zeros((rows, count), dtype=np.int8)
    for split, column in enumerate(columns):
        here = rng.random(rows) < 0.8
        threshold = rng.choice(values[:, column])
        sides[here, split] = np.where(values[here, column] <= threshold, 1, -1)
    return sides, columns


@given(seed=SEEDS, rows=st.integers(4, 40), width=st.integers(1, 5), levels=st.integers(2, 9))
def test_a_named_split_is_about_the_column_that_it_is_named_for(seed, rows, width, levels):
    rng = np.random.default_rng(seed)
    values = rng.integers(levels, size=(rows, width)).astype(float)
    sides, columns = drawn_splits(rng, values)
    known = rng.choice(rows, rows // 2, replace=False)
    for one in named_splits(sides[known], values[known]):
        assert columns[one.split] == one.column
        went = sides[:, one.split]
        assert values[went == 1, one.column].max() < one.right
        assert values[went == -1, one.column].min() > one.left


@given(seed=SEEDS)
def test_what_is_proven_of_indicators_never_takes_a_guess_away_from_the_truth(seed):
    rng = np.random.default_rng(seed)
    values = np.eye(3)[rng.integers(3, size=30)]
    sides, _ = drawn_splits(rng, values)
    bounds = Bounds.open(30, 3)
    for one in named_splits(sides[:10], values[:10]):
        bounds.narrow(sides[:, one.split], one.column, one.left, one.right, indicator=True)
    told = rng.random((30, 3))
    settled = one_of_each(bounds.within(told), bounds, [(0, 1, 2)])
    assert np.allclose(settled.sum(axis=1), 1.0)
    assert (np.square(settled - values).sum(axis=1) <= np.square(told - values).sum(axis=1) + 1e-9).all()


def test_values_that_trees_were_not_grown_on_prove_nothing():
    sides = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]], dtype=np.int8)
    assert named_splits(sides, np.array([[0.0], [1.0], [0.0], [1.0]])) == []  # the second split fits no column


def test_columns_that_known_rows_cannot_tell_apart_are_not_named():
    sides = np.array([[1], [-1]], dtype=np.int8)
    assert named_splits(sides, np.array([[0.0, 0.0], [1.0, 1.0]])) == []
    assert named_splits(np.array([[1], [1]], dtype=np.int8), np.array([[0.0], [1.0]])) == []


def test_a_gap_fits_every_split():
    sides = np.array([[1], [-1], [-1]], dtype=np.int8)
    assert named_splits(sides, np.array([[0.0, np.nan], [1.0, 2.0], [1.0, 3.0]])) == []
    (one,) = named_splits(sides, np.array([[0.0, 9.0], [np.nan, 2.0], [1.0, 3.0]]))
    assert (one.column, one.left, one.right) == (0, 0.0, 1.0)


def test_halfway_points_that_cross_leave_what_lies_between_them():
    bounds = Bounds.open(1, 1)
    bounds.narrow(np.array([1], dtype=np.int8), 0, 0.0, 0.4, indicator=False)
    bounds.narrow(np.array([-1], dtype=np.int8), 0, 0.2, 0.4, indicator=False)
    assert bounds.within(np.array([[0.9]])) == pytest.approx(0.25)


def test_indicators_of_a_part_of_an_attribute_need_not_sum_to_1():
    units = np.eye(2)
    assert indicator_groups(["job", "job"], {"job": 3}, units) == []
    assert indicator_groups(["job", "job"], {"job": 2}, 0.5 * units) == []
    assert indicator_groups(["job", "job"], {"job": 2}, units) == [[0, 1]]
