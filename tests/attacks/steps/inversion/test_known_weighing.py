"""How far an inversion is trusted beside what own columns tell."""

import numpy as np
import pytest

from seepage.attacks.steps.inversion.known_weighing import KnownRows, trust, weighed_with_blind
from seepage.attacks.steps.inversion.population_inversion import SentRows

KNOWN, ASKED, COLUMNS = 24, 60, 5


def world(noise, seed=0):
    """An inversion that reads values off what was sent, as noisy as that is; one own column tells half of them."""
    rng = np.random.default_rng(seed)
    own = rng.uniform(size=(KNOWN + ASKED, 1))
    values = np.clip(0.25 + 0.5 * own + 0.1 * rng.normal(size=(KNOWN + ASKED, COLUMNS)), 0, 1)
    sent = values + noise * rng.normal(size=values.shape)
    rows = SentRows(sent, own, np.full(sent.shape, np.nan))
    known = KnownRows(values[:KNOWN], own[:KNOWN], rows.some(np.arange(KNOWN)), own[:KNOWN])
    asked = rows.some(np.arange(KNOWN, KNOWN + ASKED))
    weighed, weight = weighed_with_blind(
        asked.outputs,
        asked,
        own[KNOWN:],
        known,
        np.arange(COLUMNS),
        lambda some, start: some.outputs,
        np.random.default_rng(1),
    )
    return ((weighed - values[KNOWN:]) ** 2).mean(), ((asked.outputs - values[KNOWN:]) ** 2).mean(), weight


def test_an_inversion_that_hits_is_left_as_it_is():
    after, before, weight = world(0.01)
    assert weight == 1 and after == before


@pytest.mark.parametrize("seed", range(5))
def test_one_that_noise_has_ruined_gives_way_to_own_columns(seed):
    """Errors of 0.1 beside own columns and of 0.4 in what was sent: best are weights of 0.1²/(0.1² + 0.4²) = 0.06."""
    after, before, weight = world(0.4, seed)
    assert weight < 0.2
    assert after < 0.12 * before


def test_where_both_err_alike_the_mean_of_both_is_nearer_than_either():
    after, before, weight = world(0.1)
    assert 0.3 < weight < 0.7
    assert after < 0.75 * before


def test_weights_are_those_of_least_squares_over_all_columns_and_each_by_itself():
    rng = np.random.default_rng(3)
    blind, truth = rng.uniform(size=(2, 30, 4))
    said = blind + rng.uniform(0.3, 2.0, size=4) * (truth - blind) + rng.normal(size=truth.shape)
    for column, weight in enumerate(trust(said, blind, truth)):
        order = np.concatenate((np.full(30, column), np.repeat(np.arange(4), 30)))
        rows = np.concatenate((np.arange(30), np.tile(np.arange(30), 4)))
        share = np.repeat([1.0, 0.5], [30, 120])  # all four columns weigh as much as one
        way = (said - blind)[rows, order] * share
        best = np.linalg.lstsq(way[:, None], (truth - blind)[rows, order] * share, rcond=None)[0][0]
        assert weight == pytest.approx(np.clip(best, 0, 1))
