"""How far apart norms lie, in cases that can be worked out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.attacks.steps.norms.norm_divergences import BINS, NormSpread, divergence_notes, norm_spread

EDGES = np.array([0.0, 1.0, 2.0])


def test_populations_alike_are_nowhere_apart():
    same = NormSpread(EDGES, np.array([0.2, 0.8]), np.array([0.2, 0.8]))
    assert same.divergences(1.0) == pytest.approx((0, 0, 1))


def test_populations_that_share_no_bin_are_as_far_apart_as_can_be_and_kl_stays_finite():
    kl, js, bc = NormSpread(EDGES, np.array([1.0, 0.0]), np.array([0.0, 1.0])).divergences(1.0)
    assert np.isfinite(kl) and kl > 10
    assert js == pytest.approx(np.sqrt(np.log(2)))
    assert bc == 0


@given(seed=st.integers(0, 2**32 - 1))
def test_a_larger_gap_is_never_nearer_and_the_three_agree_with_each_other(seed):
    rng = np.random.default_rng(seed)
    spread = NormSpread(np.arange(6.0), rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5)))
    quarter, all_of_it = spread.divergences(0.25), spread.divergences(1.0)
    assert quarter[0] <= all_of_it[0] + 1e-9
    assert quarter[1] <= all_of_it[1] + 1e-9
    assert quarter[2] >= all_of_it[2] - 1e-9
    for kl, js, bc in (quarter, all_of_it):
        assert bc >= np.exp(-kl / 2) - 1e-4  # Jensen; the paper's own numbers do not
        assert js**2 <= -np.log(bc) + 1e-9  # the divergence is at most Bhattacharyya's distance


def test_bins_span_both_sides_and_every_row_is_counted_once():
    rng = np.random.default_rng(0)
    has = rng.random(500) < 0.3
    norms = rng.random(500) + 2 * has
    spread = norm_spread(norms, has)
    assert (spread.edges[0], spread.edges[-1], len(spread.edges)) == (norms.min(), norms.max(), BINS + 1)
    for fraction in (0.0, 0.3, 1.0):
        assert spread.at(fraction).sum() == pytest.approx(1)
    everybody = np.histogram(norms, spread.edges)[0] / 500
    assert np.allclose(spread.at(has.mean()), everybody)


def test_sides_without_a_difference_are_as_far_apart_as_shuffled_ones():
    rng = np.random.default_rng(0)
    has = np.arange(4000) < 2000
    alike = divergence_notes(rng.random(4000), has, rng)
    apart = divergence_notes(rng.random(4000) + 0.2 * has, has, rng)
    assert alike["kl_100"] < 2 * alike["kl_chance"] < 0.1
    assert apart["kl_100"] > 10 * apart["kl_chance"]
    assert set(alike) == {f"{name}_{gap}" for name in ("kl", "js", "bc") for gap in ("25", "100", "chance")}


def test_norms_that_are_all_one_have_a_spread_too():
    assert norm_spread(np.full(4, 2.0), np.array([True, True, False, False])).divergences(1.0) == pytest.approx(
        (0, 0, 1)
    )
