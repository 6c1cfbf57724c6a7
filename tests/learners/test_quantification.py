"""Adjusted counting: right on average whatever the known rows are, and silent where there is nothing to go by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from seepage.learners.quantification import corrected, quantify, with_known

RATE = st.floats(0.0, 1.0)


def two_sides(fraction, rows, rng, apart=1.0):
    """Rows with two columns, the first of which is higher where the property is."""
    has = rng.permutation(np.arange(rows) < round(fraction * rows))
    columns = rng.normal(size=(rows, 2))
    columns[:, 0] += apart * has
    return columns, has


@given(hits=RATE, alarms=RATE, fraction=RATE)
def test_known_rates_give_the_fraction_exactly(hits, alarms, fraction):
    if hits - alarms < 0.01:
        return
    counted = fraction * hits + (1 - fraction) * alarms
    found = corrected(counted, hits, alarms)
    assert found == pytest.approx(fraction, abs=1e-9)


@given(hits=st.floats(0.05, 0.95), alarms=st.floats(0.05, 0.95), said_yes=st.integers(0, 50))
def test_it_is_the_likeliest_fraction_of_a_mixture_of_two_known_coins(hits, alarms, said_yes):
    """Against the likelihood itself, maximized by a general search."""
    if hits - alarms < 0.05:
        return

    def surprise(fraction):
        chance = fraction * hits + (1 - fraction) * alarms
        return -(said_yes * np.log(chance) + (50 - said_yes) * np.log(1 - chance))

    likeliest = minimize_scalar(surprise, bounds=(0, 1), method="bounded", options={"xatol": 1e-9}).x
    found = corrected(said_yes / 50, hits, alarms)
    assert found == pytest.approx(likeliest, abs=1e-3)
    assert surprise(found) <= surprise(likeliest) + 1e-9


def test_a_score_that_tells_nothing_says_one_half():
    assert corrected(0.6, 0.3, 0.3) == corrected(0.6, 0.2, 0.3) == 0.5


@pytest.mark.parametrize("classifier", ["logistic", "boosting"])
@pytest.mark.parametrize("fraction", [0.1, 0.7])
def test_one_column_of_yes_and_no_is_counted_by_hand(fraction, classifier):
    """Whatever the classifier, it can only say yes to those with a yes: its rates are those of the column."""
    rng = np.random.default_rng(5)
    has = np.arange(400) < 150
    known = (rng.uniform(size=400) < np.where(has, 0.8, 0.3)).astype(float)
    hidden = rng.uniform(size=3000) < fraction
    unknown = (rng.uniform(size=3000) < np.where(hidden, 0.8, 0.3)).astype(float)
    found = quantify(known[:, None], has, unknown[:, None], np.random.default_rng(8), classifier)
    hits, alarms = known[has].mean(), known[~has].mean()
    assert found.adjusted == pytest.approx((unknown.mean() - alarms) / (hits - alarms), abs=1e-12)
    assert found.counted == pytest.approx(unknown.mean())
    assert abs(found.probabilistic - fraction) < 0.1


@pytest.mark.parametrize(("share", "fraction"), [(0.2, 0.6), (0.5, 0.15), (0.8, 0.4)])
def test_it_is_right_on_average_whatever_share_the_known_rows_have(share, fraction):
    found = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        known, has = two_sides(share, 1000, rng, apart=1.5)
        unknown, _ = two_sides(fraction, 1000, rng, apart=1.5)
        one = quantify(known, has, unknown, rng, "logistic")
        found.append([one.probabilistic, one.adjusted, one.counted, one.averaged])
    means = np.mean(found, axis=0)
    errors, off = np.abs(means - fraction), np.std(found, axis=0) / np.sqrt(len(found))
    assert errors[0] < 3 * off[0] and errors[1] < 3 * off[1] and max(off[:2]) < 0.02
    assert errors[2] > 3 * errors[1] and errors[3] > 3 * errors[0]  # uncorrected, it is pulled to the known share
    assert min(errors[2:]) > 0.05


def test_boosting_is_right_on_average_too():
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        known, has = two_sides(0.5, 400, rng, apart=2.0)
        unknown, _ = two_sides(0.1, 1000, rng, apart=2.0)
        found.append(quantify(known, has, unknown, rng).probabilistic)
    assert abs(np.mean(found) - 0.1) < 3 * np.std(found) / np.sqrt(12) < 0.03


def test_columns_that_say_nothing_leave_the_share_of_the_known_rows():
    """Two standard errors are passed by chance now and then, hardly more often."""
    silent = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        known, has = two_sides(0.3, 200, rng, apart=0.0)
        found = quantify(known, has, rng.normal(size=(50, 2)), rng, "logistic")
        assert found.informative or found.probabilistic == found.adjusted == pytest.approx(0.3)
        assert 0 <= found.separation < 0.2
        silent += not found.informative
    assert silent >= 26


def test_the_order_of_unknown_rows_is_no_matter_and_a_seed_repeats_itself():
    rng = np.random.default_rng(0)
    (known, has), (unknown, _) = two_sides(0.5, 200, rng), two_sides(0.3, 500, rng)
    one, two = (quantify(known, has, rows, np.random.default_rng(1)) for rows in (unknown, rng.permutation(unknown)))
    assert vars(one) == pytest.approx(vars(two), abs=1e-12)
    again = quantify(known, has, unknown, np.random.default_rng(1))
    other = quantify(known, has, unknown, np.random.default_rng(2))
    assert again == one and other != one
    order = rng.permutation(len(has))  # falls into other folds, which is another draw of the same estimate
    assert abs(quantify(known[order], has[order], unknown, np.random.default_rng(1)).probabilistic - 0.3) < 0.15


@pytest.mark.parametrize("wrong", [0.1, 0.3])
def test_mislabelled_rows_stretch_the_scale_as_theory_says(wrong):
    r"""With a share e of either side wrong, :math:`(t - e) / (1 - 2e)` is estimated."""
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        known, has = two_sides(0.5, 1000, rng, apart=3.0)
        unknown, _ = two_sides(0.4, 1000, rng, apart=3.0)
        has ^= rng.permutation(1000) < 1000 * wrong
        found.append(quantify(known, has, unknown, rng, "logistic").probabilistic)
    assert np.mean(found) == pytest.approx((0.4 - wrong) / (1 - 2 * wrong), abs=0.025)


@pytest.mark.parametrize(("with_it", "unknown"), [(1, 20), (0, 20), (10, 0)])
def test_with_nothing_to_hold_out_or_to_count_the_share_of_the_known_rows_is_left(with_it, unknown):
    has = np.arange(20) < with_it
    found = quantify(np.zeros((20, 1)), has, np.zeros((unknown, 1)), np.random.default_rng(0), "logistic")
    assert not found.informative and found.probabilistic == found.adjusted == with_it / 20
    assert 0 <= with_known(found.probabilistic, has, unknown) <= 1


def test_two_rows_of_a_side_are_enough_for_two_folds():
    has = np.arange(30) < 2
    found = quantify(has[:, None] * 10.0, has, np.array([[10.0], [0.0], [0.0], [0.0]]), np.random.default_rng(0))
    assert 0 <= found.probabilistic <= 1


@given(seed=st.integers(0, 1000), fraction=st.floats(0, 1))
def test_known_rows_count_as_what_they_are(seed, fraction):
    rng = np.random.default_rng(seed)
    has, unknown = rng.uniform(size=30) < 0.5, int(rng.integers(1, 100))
    people = np.concatenate([has, np.full(unknown, fraction)])
    assert with_known(fraction, has, unknown) == pytest.approx(people.mean())
    assert with_known(fraction, has[:0], unknown) == pytest.approx(fraction)
