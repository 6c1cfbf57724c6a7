import json
import warnings

import numpy as np
import pytest

from seepage.audit.reliance.projection import projection_grid


def two_groups(rows=60, width=4, gap=50.0):
    rng = np.random.default_rng(1)
    labels = np.arange(rows) % 2
    return rng.normal(size=(rows, width)) + gap * labels[:, None], labels


def counted(grid):
    return sum(count for *_, count in grid["counts"])


def test_counts_add_up_to_the_rows_that_were_sampled():
    outputs, labels = two_groups()
    whole = projection_grid(outputs, labels, 2, np.random.default_rng(0))
    assert (counted(whole), whole["rows"]) == (60, 60)
    assert sum(count for *_, kind, count in whole["counts"] if kind == 1) == labels.sum()
    few = projection_grid(outputs, labels, 2, np.random.default_rng(0), cells=8, most=20)
    assert (counted(few), few["rows"], few["grid"]) == (20, 20, 8)
    assert all(0 <= x < 8 and 0 <= y < 8 for x, y, *_ in few["counts"])


def test_one_seed_gives_one_grid_and_it_is_plain_json():
    outputs, labels = two_groups()
    first, again = (projection_grid(outputs, labels, 2, np.random.default_rng(3), most=40) for _ in range(2))
    assert first == again == json.loads(json.dumps(first))


def test_far_groups_share_no_cell():
    grid = projection_grid(*two_groups(), 2, np.random.default_rng(0))
    where = [{(x, y) for x, y, kind, _ in grid["counts"] if kind == side} for side in (0, 1)]
    assert where[0].isdisjoint(where[1])


@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_few_rows_are_laid_out_too(rows):
    grid = projection_grid(*two_groups(rows), 2, np.random.default_rng(0))
    assert counted(grid) == rows


def test_outputs_that_do_not_differ_lie_in_one_cell_without_a_warning():
    labels = np.array([0, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value in (0.0, 7.3, 1e-300):
            grid = projection_grid(np.full((3, 4), value), labels, 2, np.random.default_rng(0), cells=5)
            assert grid["counts"] == [[2, 2, 0, 1], [2, 2, 1, 2]]


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_the_size_of_outputs_does_not_matter_and_one_column_is_enough(scale):
    outputs, labels = two_groups(width=1)
    assert counted(projection_grid(outputs * scale, labels, 2, np.random.default_rng(0))) == 60


@pytest.mark.parametrize(
    ("outputs", "labels", "said"),
    [
        (np.zeros((0, 2)), np.zeros(0, dtype=int), "got 0 rows, 0 labels"),
        (np.zeros((3, 2)), np.zeros(2, dtype=int), "got 3 rows, 2 labels"),
        (np.array([[np.nan], [1.0]]), np.zeros(2, dtype=int), "not numbers"),
    ],
)
def test_what_cannot_be_laid_out_is_refused(outputs, labels, said):
    with pytest.raises(ValueError, match=said):
        projection_grid(outputs, labels, 2, np.random.default_rng(0))
