"""Advantages over seeds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seepage.scores import advantage, bootstrap, mean_advantage

SHARES = st.floats(0, 1)


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


def test_one_seed_has_no_interval_and_no_room_has_no_advantage():
    assert mean_advantage([0.9], [0.5], [1.0]).low is None
    assert mean_advantage([1.0, 1.0], [0.995, 0.995], [1.0, 1.0]) is None


def test_the_interval_covers_the_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(200):
        found = bootstrap(rng.normal(0.5, 0.1, size=(20, 1)), lambda means: means[:, 0])
        covered.append(found.low <= 0.5 <= found.high)
    assert 0.85 < np.mean(covered) <= 1.0


def test_the_same_values_give_the_same_interval():
    values = [0.91, 0.85, 0.88]
    assert mean_advantage(values, [0.5] * 3, [1.0] * 3) == mean_advantage(values, [0.5] * 3, [1.0] * 3)
