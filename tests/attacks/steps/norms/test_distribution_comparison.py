"""Distribution comparison, against cases whose answer is known and against Algorithm 1 as printed."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.attacks.steps.norms.distribution_comparison import Comparison, fitted_regressor, mixed

SEEDS = st.integers(0, 2**32 - 1)
QUICK = Comparison(populations=60, population=200, step=5, queries=10, quantiles=20)
ROWS = 10_000


def rows_with(fraction: float, rng: np.random.Generator, rows: int = ROWS) -> np.ndarray:
    """Return which rows have the property, exactly this fraction of them."""
    return rng.permutation(rows) < round(fraction * rows)


def some_of_each(has: np.ndarray, rng: np.random.Generator, most: int = 500) -> np.ndarray:
    """Return auxiliary rows: at most half of each side."""
    return np.concatenate(
        [rng.permutation(side)[: min(most, len(side) // 2)] for side in map(np.flatnonzero, (has, ~has))]
    )


@pytest.mark.parametrize("fraction", [0.03, 0.3, 0.7])
def test_norms_that_are_the_property_give_the_fraction_away(fraction):
    rng = np.random.default_rng(round(100 * fraction))
    has = rows_with(fraction, rng)
    known = some_of_each(has, rng)
    norms = has.astype(float)
    assert abs(Comparison().estimate(norms[known], has[known], norms, rng) - fraction) <= 0.01


@pytest.mark.parametrize("regressor", ["tree", "linear", "svr"])
def test_other_regressors_read_such_norms_as_well(regressor):
    rng = np.random.default_rng(0)
    has = rows_with(0.3, rng)
    known = some_of_each(has, rng)
    norms = 0.001 * has + 0.0001 * rng.random(ROWS)  # small numbers, as gradients are
    found = replace(Comparison(), regressor=regressor).estimate(norms[known], has[known], norms, rng)
    assert abs(found - 0.3) <= 0.02


def test_norms_that_have_nothing_to_do_with_the_property_say_nothing_of_the_fraction():
    fractions = np.tile([0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95], 6)
    found, informed = np.zeros((2, len(fractions)))
    for seed, fraction in enumerate(fractions):
        rng = np.random.default_rng(seed)
        has = rows_with(fraction, rng, 4000)
        known, noise = some_of_each(has, rng, 100), rng.random(4000)
        found[seed] = QUICK.estimate(noise[known], has[known], noise, rng)
        informed[seed] = QUICK.estimate((has + noise)[known], has[known], has + noise, rng)
    chance = 3 / np.sqrt(len(fractions) - 1)  # three standard errors of a correlation where there is none
    assert abs(np.corrcoef(fractions, found)[0, 1]) < chance < 0.5
    assert np.corrcoef(fractions, informed)[0, 1] > 0.95
    assert np.abs(found - fractions).mean() > 0.9 * np.abs(0.5 - fractions).mean()  # no better than to say ½


@given(
    seed=SEEDS,
    with_it=st.integers(1, 30),
    without=st.integers(1, 30),
    counts=st.lists(st.integers(0, 20), min_size=1, max_size=8),
)
def test_populations_have_the_counts_that_were_asked_for_and_nobody_twice_unless_a_side_is_too_small(
    seed, with_it, without, counts
):
    ours, theirs = np.arange(with_it), 100 + np.arange(without)
    drawn = mixed(ours, theirs, np.array(counts), 20, np.random.default_rng(seed))
    assert drawn.shape == (len(counts), 20)
    for population, count in zip(drawn, counts, strict=True):  # row by row, as Algorithm 1 does
        for side, wanted, pool in (
            (population[population < 100], count, ours),
            (population[population >= 100], 20 - count, theirs),
        ):
            assert len(side) == wanted
            assert np.isin(side, pool).all()
            assert len(np.unique(side)) == wanted or wanted > len(pool)


def test_everybody_is_drawn_equally_often():
    drawn = mixed(np.arange(40), 40 + np.arange(40), np.full(3000, 10), 20, np.random.default_rng(0))
    times = np.bincount(drawn.astype(int).ravel(), minlength=80)
    expected = 3000 * 10 / 40
    assert np.abs(times - expected).max() < 5 * np.sqrt(expected * 0.75)


@pytest.mark.parametrize("step", [0.5, 1, 2, 2.5, 3.125, 12.5, 20, 100])
def test_the_grid_goes_from_nobody_to_everybody_in_equal_steps(step):
    grid = Comparison(step=step).grid
    assert (grid[0], grid[-1]) == (0, 1)
    assert np.allclose(np.diff(grid), step / 100)


def test_a_regressor_is_taught_fractions_on_the_grid_as_the_populations_really_have_them(monkeypatch):
    taught = {}

    def kept(vectors, fractions, regressor, rng):
        taught.update(vectors=vectors, fractions=fractions)
        return fitted_regressor(vectors, fractions, regressor, rng)

    monkeypatch.setattr("seepage.attacks.steps.norms.distribution_comparison.fitted_regressor", kept)
    comparison = replace(QUICK, populations=300, population=30, step=20, quantiles=None)
    has = np.arange(100) < 50
    comparison.estimate(has.astype(float), has, has.astype(float), np.random.default_rng(0))
    assert set(taught["fractions"] * 30) == {0, 6, 12, 18, 24, 30}
    assert np.array_equal(taught["vectors"].sum(axis=1), taught["fractions"] * 30)
    assert (np.diff(taught["vectors"], axis=1) >= 0).all()


@given(seed=SEEDS, size=st.integers(2, 40), quantiles=st.integers(2, 50))
def test_slices_are_means_of_sorted_norms_whatever_their_order_was(seed, size, quantiles):
    rng = np.random.default_rng(seed)
    drawn = rng.random((3, size))
    found = Comparison(quantiles=quantiles).vectors(drawn)
    assert np.array_equal(found, Comparison(quantiles=quantiles).vectors(rng.permuted(drawn, axis=1)))
    assert (np.diff(found, axis=1) >= 0).all()
    if quantiles >= size:
        assert np.array_equal(found, np.sort(drawn, axis=1))
        return
    for line, population in zip(found, np.sort(drawn, axis=1), strict=True):
        ends = [place * size // quantiles for place in range(quantiles + 1)]
        expected = [population[start:end].mean() for start, end in pairwise(ends)]
        assert np.allclose(line, expected)


@pytest.mark.parametrize("regressor", ["xgboost", "tree", "linear", "svr"])
def test_one_seed_gives_one_estimate_and_the_order_of_rows_makes_no_difference(regressor):
    rng = np.random.default_rng(0)
    has = rows_with(0.4, rng, 1000)
    norms = has + rng.normal(size=1000)
    known = some_of_each(has, rng, 200)
    comparison = replace(QUICK, regressor=regressor)
    first, again = (comparison.estimate(norms[known], has[known], norms, np.random.default_rng(1)) for _ in range(2))
    order = rng.permutation(len(known))
    turned = comparison.estimate(
        norms[known][order], has[known][order], rng.permutation(norms), np.random.default_rng(1)
    )
    other = comparison.estimate(norms[known], has[known], norms, np.random.default_rng(2))
    assert first == again == turned != other


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6])
def test_the_unit_of_norms_makes_no_difference(scale):
    rng = np.random.default_rng(0)
    has = rows_with(0.4, rng, 1000)
    norms = has + rng.normal(size=1000) ** 2
    for regressor in ("xgboost", "tree", "linear", "svr"):
        comparison = replace(QUICK, regressor=regressor)
        one, other = (comparison.estimate(by * norms, has, by * norms, np.random.default_rng(1)) for by in (1, scale))
        assert one == pytest.approx(other, abs=0.01)


def test_norms_are_those_of_each_row_and_the_first_does_not_depend_on_the_width():
    results = np.array([[3.0, -4.0], [0.0, 0.0]], dtype=np.float32)
    found = {norm: Comparison(norm=norm).norms(results)[0] for norm in ("l1", "l2", "linf")}
    assert found == {"l1": 3.5, "l2": 5.0, "linf": 4.0}
    wide = np.concatenate((results, results), axis=1)
    assert np.array_equal(Comparison().norms(wide), Comparison().norms(results))


@pytest.mark.parametrize(("has", "asked"), [([True, True], 2), ([False, False], 2), ([True, False], 0)])
def test_known_rows_of_both_sides_and_asked_ones_are_needed(has, asked):
    with pytest.raises(ValueError, match=f"and {asked} asked"):
        QUICK.estimate(np.zeros(2), np.array(has), np.zeros(asked), np.random.default_rng(0))
