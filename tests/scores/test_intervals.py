"""Advantages over seeds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from seepage.scores import advantage, bootstrap, mean_advantage
from seepage.scores.intervals import FEW_SEEDS, STUDENT, mean_over_seeds, ratio_over_seeds
from seepage.scores.reached import Reached, leak_apart, strongest

SHARES = st.floats(0, 1)
DRAWS = 400


@given(value=SHARES, blind=SHARES, ceiling=SHARES)
def test_an_advantage_lies_between_nothing_and_everything(value, blind, ceiling):
    found = advantage(value, blind, ceiling)
    assert (found is None) == (abs(ceiling - blind) < 0.01)
    assert found is None or 0 <= found <= 1


def test_blind_earns_nothing_and_the_ceiling_everything_also_for_errors():
    assert advantage(0.3, 0.3, 1.0) == 0 and advantage(1.0, 0.3, 1.0) == 1
    assert advantage(0.2, 0.2, 0.0) == 0 and advantage(0.0, 0.2, 0.0) == 1


def test_the_advantage_is_that_of_the_means_and_not_the_mean_of_advantages():
    found = mean_advantage([0.9, 0.5], [0.8, 0.2], [1.0, 1.0])
    assert np.isclose(found.mean, (0.7 - 0.5) / (1 - 0.5))
    assert found.low <= found.mean <= found.high


@given(
    scored=st.lists(st.tuples(SHARES, st.floats(0, 0.9)), min_size=2, max_size=12),
    others=st.lists(st.tuples(SHARES, st.floats(0, 0.9)), min_size=2, max_size=12),
)
def test_an_interval_holds_its_mean_and_stays_within_what_is_possible(scored, others):
    rivals = [
        Reached({seed: (value, blind, 1.0) for seed, (value, blind) in enumerate(one)}) for one in (scored, others)
    ]
    for found in (strongest(rivals[:1]), strongest(rivals)):
        assert 0 <= found.low <= found.mean <= found.high <= 1
    assert strongest(rivals).mean == max(strongest([one]).mean for one in rivals)


def test_one_seed_has_no_interval_and_no_room_has_no_advantage():
    assert mean_advantage([0.9], [0.5], [1.0]).low is None
    assert mean_advantage([1.0, 1.0], [0.995, 0.995], [1.0, 1.0]) is None
    assert strongest([Reached({})]) is None and mean_over_seeds([]) is None


def test_where_leaving_one_seed_out_leaves_no_room_anything_is_possible():
    found = mean_advantage([1.0, 0.995, 0.995], [0.97, 0.995, 0.995], [1.0, 1.0, 1.0])
    assert (found.low, found.high) == (0.0, 1.0)


def test_few_seeds_have_the_interval_of_a_textbook():
    values = np.array([0.91, 0.85, 0.88, 0.90])
    found = mean_over_seeds(values.tolist())
    low, high = student.interval(0.95, 3, values.mean(), values.std(ddof=1) / 2)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)
    assert pytest.approx([student.ppf(0.975, freedom) for freedom in range(1, FEW_SEEDS - 1)], abs=5e-4) == STUDENT


def test_many_seeds_have_the_percentiles_of_resampled_ones():
    rng = np.random.default_rng(3)
    values = rng.uniform(0.6, 0.9, FEW_SEEDS)
    found, resampled = mean_over_seeds(values.tolist()), bootstrap(values[:, None], lambda means: means[:, 0])
    assert (found.mean, found.low, found.high) == pytest.approx((resampled.mean, resampled.low, resampled.high))


def covered(seeds, draw, estimate, truth):
    """Return how often an interval holds the truth."""
    rng = np.random.default_rng(seeds)
    found = [estimate(draw(rng, seeds)) for _ in range(DRAWS)]
    return np.mean([one.low <= truth <= one.high for one in found])


def percentiles(values):
    return bootstrap(np.asarray(values)[:, None], lambda means: means[:, 0])


def test_the_interval_covers_the_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    held = []
    for _ in range(200):
        found = bootstrap(rng.normal(0.5, 0.1, size=(20, 1)), lambda means: means[:, 0])
        held.append(found.low <= 0.5 <= found.high)
    assert 0.85 < np.mean(held) <= 1.0


@pytest.mark.parametrize("seeds", [3, 5])
def test_the_interval_of_few_seeds_covers_as_often_as_it_says_and_resampling_them_does_not(seeds):
    def draw(rng, count):
        return rng.normal(0.7, 0.05, count).tolist()

    assert covered(seeds, draw, mean_over_seeds, 0.7) > 0.92
    assert covered(seeds, draw, percentiles, 0.7) < 0.88


@pytest.mark.parametrize("seeds", [3, 5])
def test_that_holds_for_advantages_and_shares_of_a_gain_as_well(seeds):
    def played(rng, count):
        blind = rng.normal(0.6, 0.02, count)
        return (blind + 0.5 * (1 - blind) + rng.normal(0, 0.03, count), blind, np.ones(count))

    def worth(rng, count):
        gain = rng.normal(0.1, 0.01, count)
        return 0.7 * gain + rng.normal(0, 0.005, count), gain

    assert covered(seeds, played, lambda drawn: mean_advantage(*drawn), 0.5) > 0.92
    assert covered(seeds, worth, lambda drawn: ratio_over_seeds(*drawn), 0.7) > 0.92


@pytest.mark.parametrize("seeds", [3, 5, 12])
def test_the_strongest_of_several_has_an_interval_that_knows_of_the_choice(seeds):
    """Six attacks are equally strong; what they reach under one seed has much in common."""

    def rivals(rng, count):
        values = 0.7 + rng.normal(0, 0.04, (count, 1)) + rng.normal(0, 0.03, (count, 6))
        return [Reached({seed: (value, 0.5, 1.0) for seed, value in enumerate(one)}) for one in values.T]

    def winner_alone(drawn):
        return percentiles([2 * (one[0] - 0.5) for one in max(drawn, key=lambda one: one.advantage).by_seed.values()])

    knowing, unknowing = (covered(seeds, rivals, one, 0.4) for one in (strongest, winner_alone))
    assert knowing > 0.9 > unknowing if seeds < FEW_SEEDS else knowing > unknowing + 0.02


def test_an_attack_that_lacks_a_seed_is_weighed_by_those_it_has():
    whole = Reached({0: (0.6, 0.5, 1.0), 1: (0.62, 0.5, 1.0), 2: (0.64, 0.5, 1.0)})
    partly = Reached({0: (0.9, 0.5, 1.0), 2: (0.8, 0.5, 1.0)})
    assert strongest([whole, partly]).mean == pytest.approx(0.7)
    once = Reached({1: (0.9, 0.5, 1.0)})
    assert strongest([whole, once]).low is None, "the strongest has one seed, and so no interval"


def test_two_leaks_are_compared_seed_by_seed():
    def reached(*values):
        return [Reached({seed: (value, 0.5, 1.0) for seed, value in enumerate(values)})]

    swinging, below = reached(0.9, 0.7, 0.8), reached(0.88, 0.68, 0.78)
    assert not leak_apart(swinging, below).within_noise(0.05), "both swing together, and one is always ahead"
    assert leak_apart(swinging, reached(0.7, 0.9, 0.8)).within_noise(0.05)
    assert leak_apart(reached(0.4), reached(0.5)).mean == 0, "below blind is blind"
    assert leak_apart(swinging, [Reached({7: (0.9, 0.5, 1.0)})]) is None


def test_the_same_values_give_the_same_interval():
    values = [0.91, 0.85, 0.88]
    assert mean_advantage(values, [0.5] * 3, [1.0] * 3) == mean_advantage(values, [0.5] * 3, [1.0] * 3)
