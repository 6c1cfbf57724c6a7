"""Each kernel against a loop that anybody can read."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from seepage.trees.bins import binned
from seepage.trees.derivatives import UNIT, logistic_derivatives, softmax_derivatives
from seepage.trees.gains import best_gini, best_second_order
from seepage.trees.presorted import between, regrouped, runs_of, sorted_orders

seeds = st.integers(0, 2**32 - 1)
ANY = np.zeros(0, dtype=bool)


def some_columns(seed, rows, columns=2, gaps=True):
    """Columns with ties and gaps."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 8, size=(columns, rows)) / 4
    return np.where(gaps & (rng.random(values.shape) < 0.2), np.nan, values).astype(np.float32)


@settings(deadline=None)
@given(seed=seeds, classes=st.integers(2, 5), candidates=st.integers(1, 12))
def test_gini_gain_is_that_of_the_paper(seed, classes, candidates):
    rng = np.random.default_rng(seed)
    total = rng.integers(1, 30, size=classes)
    left = rng.integers(0, total + 1, size=(candidates, classes))

    def gain(one):
        n, n_left = total.sum(), one.sum()
        if n_left in (0, n):
            return 0.0
        other, n_right = total - one, n - n_left
        return (
            n_left / n * np.sum((one / n_left) ** 2)
            + n_right / n * np.sum((other / n_right) ** 2)
            - np.sum((total / n) ** 2)
        )

    gains = np.array([gain(one) for one in left])
    best, found = best_gini(left, total, ANY)
    if gains.max() < 1e-9:
        assert best == -1 or found < 1e-9
    else:
        assert gains[best] == pytest.approx(gains.max(), abs=1e-12) == found
    allowed = rng.random(candidates) < 0.5
    best, found = best_gini(left, total, allowed) if allowed.any() else (-1, 0.0)
    assert best == -1 or allowed[best]
    assert best == -1 or found == pytest.approx(gains[allowed].max(), abs=1e-12)


@settings(deadline=None)
@given(seed=seeds, outputs=st.integers(1, 4), l2=st.sampled_from([0.0, 0.5, 1.0]), weight=st.sampled_from([0.0, 0.3]))
def test_second_order_gain_is_that_of_xgboost(seed, outputs, l2, weight):
    rng = np.random.default_rng(seed)
    rows = np.stack([np.ravel(p) for p in zip(rng.normal(size=(9, outputs)), rng.random((9, outputs)), strict=True)])
    rows = np.stack((rows[:, :outputs], rows[:, outputs:]), axis=2).reshape(9, -1) * 0.3  # gradient, Hessian, …
    left = np.rint(rows.cumsum(axis=0)[:-1] / UNIT).astype(np.int64)
    total = np.rint(rows.sum(axis=0) / UNIT).astype(np.int64)

    def score(sums):
        gradient, hessian = sums[0::2] * UNIT, sums[1::2] * UNIT
        counts = (hessian >= weight) & (hessian + l2 > 0)
        return np.sum(gradient[counts] ** 2 / (hessian[counts] + l2))

    gains = np.array([score(one) + score(total - one) - score(total) for one in left])
    if outputs == 1:
        light = np.minimum(left[:, 1], total[1] - left[:, 1]) * UNIT < weight
        gains[light] = -np.inf
    best, found = best_second_order(left, total, ANY, UNIT, l2, 0.0, weight)
    if gains.max() <= 1e-9:
        assert best == -1
    else:
        assert found == pytest.approx(gains.max(), rel=1e-9)
        assert gains[best] == pytest.approx(gains.max(), rel=1e-9)
    assert best_second_order(left, total, ANY, UNIT, l2, 1e9, weight)[0] == -1


@settings(deadline=None)
@given(seed=seeds, rows=st.integers(1, 40), quantiles=st.sampled_from([0, 2, 3, 7]), gaps=st.booleans())
def test_runs_end_where_a_loop_would_cut(seed, rows, quantiles, gaps):
    rng = np.random.default_rng(seed)
    columns = some_columns(seed, rows, gaps=gaps)
    slots = rng.integers(-1, 2, size=rows).astype(np.int32)
    starts = np.concatenate(([0], np.cumsum([np.count_nonzero(slots == node) for node in (0, 1)])))
    grouped = regrouped(sorted_orders(columns), slots, starts)
    runs = runs_of(columns, grouped, starts, quantiles)
    flat = grouped.ravel()
    block = 0
    for column in range(len(columns)):
        for node in (0, 1):
            members = np.flatnonzero(slots == node)
            values = columns[column, members]
            held = np.sort(values[~np.isnan(values)])
            cuts = np.unique(held)
            if 0 < quantiles < len(held):
                cuts = np.unique([held[k * len(held) // quantiles] for k in range(quantiles)] + [held[-1]])
            edges = pairwise([-np.inf, *cuts])
            expected = [set(members[(values > low) & (values <= high)].tolist()) for low, high in edges]
            if np.isnan(values).any():
                expected.append(set(members[np.isnan(values)].tolist()))
            found = [
                set(flat[runs.starts[run] : runs.starts[run + 1]].tolist())
                for run in range(runs.blocks[block], runs.blocks[block + 1])
            ]
            assert found == expected
            assert runs.missing[block] == np.isnan(values).any()
            block += 1


@settings(deadline=None)
@given(seed=seeds, rows=st.integers(1, 60), most=st.integers(2, 9))
def test_bins_are_the_thresholds_counted(seed, rows, most):
    columns = np.concatenate((some_columns(seed, rows), np.random.default_rng(seed).normal(size=(1, rows)))).astype(
        np.float32
    )
    bins = binned(columns, most)
    for column, edges in enumerate(bins.thresholds):
        assert len(edges) < most and np.all(np.diff(edges) > 0)
        for row, value in enumerate(columns[column]):
            expected = bins.missing if np.isnan(value) else np.count_nonzero(edges < value)
            assert bins.codes[row, column] == expected
        held = columns[column][~np.isnan(columns[column])]
        if len(np.unique(held)) <= most:
            assert len(edges) == max(0, len(np.unique(held)) - 1)


def test_bins_hold_about_equally_many_rows():
    bins = binned(np.random.default_rng(0).normal(size=(1, 10_000)).astype(np.float32), 32)
    counts = np.bincount(bins.codes[:, 0])
    assert len(counts) == 32 and counts.min() > 300 and counts.max() < 325


def test_too_many_bins_are_refused():
    with pytest.raises(ValueError, match="bins must be at most"):
        binned(np.zeros((1, 2), dtype=np.float32), 70_000)


@given(low=st.floats(-(2.0**90), 2.0**90, width=32), high=st.floats(-(2.0**90), 2.0**90, width=32))
def test_a_threshold_parts_its_two_values(low, high):
    low, high = np.float32(min(low, high)), np.float32(max(low, high))
    if low < high:
        (threshold,) = between(np.array([low]), np.array([high]))
        assert low <= threshold < high


@settings(deadline=None)
@given(seed=seeds, classes=st.integers(2, 5))
def test_derivatives_are_those_of_the_loss(seed, classes):
    rng = np.random.default_rng(seed)
    margins, labels = rng.normal(size=(6, classes)) * 3, rng.integers(0, classes, size=6)
    found = softmax_derivatives(margins, labels) * UNIT
    confidences = softmax(margins, axis=1)
    truth = np.eye(classes)[labels]
    np.testing.assert_allclose(found[:, 0::2], confidences - truth, atol=UNIT)
    np.testing.assert_allclose(found[:, 1::2], 2 * confidences * (1 - confidences), atol=UNIT)
    step = 1e-6
    for row in range(6):  # the gradient is what a small step of the loss says
        for c in range(classes):
            moved = margins.copy()
            moved[row, c] += step
            change = -np.log(softmax(moved, axis=1)[row, labels[row]]) + np.log(confidences[row, labels[row]])
            assert found[row, 2 * c] == pytest.approx(change / step, abs=1e-4)


@given(margin=st.floats(-800, 800), label=st.integers(0, 1))
def test_logistic_derivatives_stay_in_range_however_sure_the_model_is(margin, label):
    gradient, hessian = logistic_derivatives(np.array([margin]), np.array([label]))[0] * UNIT
    assert -1 <= gradient <= 1
    assert 0 <= hessian <= 0.25
