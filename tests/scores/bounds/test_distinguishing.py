"""Theorem 1 of paper 000: as it is printed, and above what any test can reach."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seepage.scores.bounds.distinguishing import VACUOUS, distinguishing_bound

SHARE = st.floats(0.02, 0.98)


def bound(posterior, prior, gap, rows):
    """The bound for a posterior: a score learned from rows as they come is one."""
    return distinguishing_bound(posterior, prior, gap, rows, learned_from=prior)


@given(prior=SHARE, certain=SHARE, gap=st.floats(0.001, 1), rows=st.integers(1, 200))
def test_it_is_equation_3(prior, certain, gap, rows):
    posterior = prior + certain * (1 - prior)
    assume(prior < posterior < 1)
    printed = (1 + math.sqrt(1 - (1 + gap * (posterior - prior) / (prior * (1 - posterior))) ** -rows)) / 2
    found = bound(posterior, prior, gap, rows)
    assert found.posterior == pytest.approx(posterior)
    assert found.accuracy == pytest.approx(printed, abs=1e-6)
    assert found.vacuous == (found.accuracy >= VACUOUS)


@given(prior=SHARE, learned_from=SHARE, evidence=st.floats(0.01, 100))
def test_a_score_is_put_on_the_footing_of_the_population(prior, learned_from, evidence):
    """The same evidence, a likelihood ratio, seen by classifiers that learned from another share."""
    score = evidence * learned_from / (evidence * learned_from + 1 - learned_from)
    expected = evidence * prior / (evidence * prior + 1 - prior)
    assert distinguishing_bound(score, prior, 0.01, 10, learned_from).posterior == pytest.approx(expected)


def best_accuracy(with_it, without, one, other, rows):
    """The exact accuracy of the best test between two worlds: every sequence of observations is looked at."""
    worlds = [one * with_it + (1 - one) * without, other * with_it + (1 - other) * without]
    right = 0.0
    for seen in itertools.product(range(len(with_it)), repeat=rows):
        right += max(math.prod(world[list(seen)]) for world in worlds)
    return right / 2


@given(
    seed=st.integers(0, 2**32 - 1),
    prior=st.floats(0.05, 0.95),
    low=st.floats(0, 0.9),
    gap=st.floats(0.01, 1),
    rows=st.integers(1, 5),
)
def test_no_test_of_small_samples_does_better(seed, prior, low, gap, rows):
    """Of observations with three values, however they go with the property, in whichever worlds."""
    gap = min(gap, 1 - low)
    with_it, without = np.random.default_rng(seed).dirichlet([0.7] * 3, size=2)
    largest = (prior * with_it / (prior * with_it + (1 - prior) * without)).max()
    assume(largest < 1)
    allowed = bound(float(largest), prior, gap, rows).accuracy
    reached = max(
        best_accuracy(with_it, without, low + gap, low, rows), best_accuracy(with_it, without, low, low + gap, rows)
    )
    assert allowed is not None and reached <= allowed + 1e-9


def test_the_bound_is_near_what_is_reached_for_one_row_and_worlds_far_apart():
    """A control: a bound of 1 for everything would pass the test above."""
    with_it, without = np.array([0.6, 0.4]), np.array([0.4, 0.6])
    assert best_accuracy(with_it, without, 1.0, 0.0, 1) == pytest.approx(0.6)
    assert bound(0.6, 0.5, 1.0, 1).accuracy == pytest.approx(0.789, abs=0.001)
    assert bound(0.5, 0.5, 1.0, 1000).accuracy == 0.5


@given(prior=SHARE, shares=st.tuples(SHARE, SHARE), gap=st.floats(0.001, 0.5), rows=st.integers(1, 100))
def test_it_grows_with_the_posterior(prior, shares, gap, rows):
    """Corollary 1."""
    less, more = (prior + share * (1 - prior) for share in sorted(shares))
    assume(prior < less < more < 1)
    assert bound(less, prior, gap, rows).accuracy <= bound(more, prior, gap, rows).accuracy


@given(prior=SHARE, share=SHARE, gap=st.floats(0.001, 0.4), rows=st.integers(1, 100))
def test_it_grows_with_the_gap_and_with_the_rows(prior, share, gap, rows):
    posterior = prior + share * (1 - prior)
    assume(posterior < 1)
    assert bound(posterior, prior, gap, rows).accuracy <= bound(posterior, prior, 2 * gap, rows).accuracy
    assert bound(posterior, prior, gap, rows).accuracy <= bound(posterior, prior, gap, 2 * rows).accuracy


def test_it_does_not_apply_to_a_classifier_that_is_never_as_sure_as_the_prior():
    found = bound(0.3, 0.4, 0.01, 10)
    assert found.accuracy is None and not found.vacuous and "accuracy" not in found.facts()
    assert bound(0.4, 0.4, 0.01, 10).accuracy == pytest.approx(0.5)


def test_whoever_is_certain_of_one_row_is_bounded_by_nothing():
    found = distinguishing_bound(1.0, 0.4, 0.01, 1)
    assert found.posterior == 1 and found.accuracy == 1 and found.vacuous
    assert found.facts() == {
        "posterior": 1.0, "prior": 0.4, "gap": 0.01, "rows": 1, "vacuous": True, "accuracy": 1.0
    }  # fmt: skip


def test_from_99_percent_on_it_says_nothing():
    rows = [rows for rows in range(1, 1000) if bound(0.6, 0.5, 0.01, rows).vacuous]
    assert bound(0.6, 0.5, 0.01, rows[0] - 1).accuracy < 0.99 <= bound(0.6, 0.5, 0.01, rows[0]).accuracy


@pytest.mark.parametrize(
    "numbers", [(1.1, 0.5, 0.1, 1), (0.6, 0.0, 0.1, 1), (0.6, 1.0, 0.1, 1), (0.6, 0.5, 0.0, 1), (0.6, 0.5, 0.1, 0)]
)
def test_what_is_no_share_is_refused(numbers):
    with pytest.raises(ValueError, match="a bound needs shares between 0 and 1"):
        distinguishing_bound(*numbers)
    with pytest.raises(ValueError, match=r"fractions of 0\.5 and 1\.0"):
        distinguishing_bound(0.6, 0.5, 0.1, 1, 1.0)
