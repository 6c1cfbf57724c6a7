"""MixMatch: its settings, MixUp and the order in which rows come up."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seepage.learners.completion.batches import Drawing
from seepage.learners.completion.mixmatch import MixMatch, mixup, shares

masses = st.lists(st.floats(0, 1), min_size=2, max_size=8).filter(lambda p: sum(p) > 1e-3)
seeds = st.integers(0, 2**32 - 1)


def distribution(mass):
    return torch.tensor(mass, dtype=torch.float64) / sum(mass)


@given(st.floats(0.01, 10), seeds)
def test_a_mixed_row_is_at_least_as_near_to_its_first_as_to_its_second(alpha, seed):
    rng = np.random.default_rng(seed)
    first, second = torch.from_numpy(rng.normal(size=(2, 20, 3)))
    share = torch.from_numpy(shares(alpha, (20,), rng))
    mixed = mixup(first, second, share)
    assert bool(((share >= 0.5) & (share <= 1)).all())
    near, far = (mixed - first).norm(dim=1), (mixed - second).norm(dim=1)
    assert bool((near <= far + 1e-12).all())
    torch.testing.assert_close(near + far, (first - second).norm(dim=1))


@given(seeds)
def test_a_share_of_one_leaves_the_first_row_as_it_is(seed):
    first, second = torch.from_numpy(np.random.default_rng(seed).normal(size=(2, 5, 4, 3)))
    assert torch.equal(mixup(first, second, torch.ones(5, dtype=torch.float64)), first)


@given(st.floats(0.5, 1), masses, seeds)
def test_mixed_distributions_are_distributions(share, mass, seed):
    p = distribution(mass)[None]
    q = torch.from_numpy(np.random.default_rng(seed).dirichlet(np.ones(len(mass))))[None]
    mixed = mixup(p, q, torch.tensor([share], dtype=torch.float64))
    assert bool((mixed >= 0).all()) and float(mixed.sum()) == pytest.approx(1)


@given(st.integers(1, 9), st.integers(1, 40), st.integers(2, 8), seeds)
def test_every_row_comes_up_as_often_as_any_other_give_or_take_one(known, unlabelled, batch, seed):
    drawing = Drawing(known, unlabelled, MixMatch(batch=batch, iterations=5), np.random.default_rng(seed))
    epochs = [drawing.epoch() for _ in range(3)]
    for size, drawn in ((known, [e.known for e in epochs]), (unlabelled, [e.unlabelled for e in epochs])):
        counts = np.bincount(np.concatenate(drawn).ravel(), minlength=size)
        assert len(counts) == size and counts.max() - counts.min() <= 1


@given(st.integers(2, 8), seeds)
def test_partners_are_a_shuffle_of_the_whole_batch(batch, seed):
    draws = Drawing(3, 10, MixMatch(batch=batch, iterations=4), np.random.default_rng(seed)).epoch()
    assert np.array_equal(np.sort(draws.partners, axis=1), np.tile(np.arange(2 * batch), (4, 1)))
    assert not np.array_equal(draws.partners, draws.partners[[1, 2, 3, 0]])


def test_the_weight_of_the_unlabeled_loss_grows_in_a_straight_line_over_the_whole_run():
    settings = MixMatch(epochs=4, iterations=25)
    assert [settings.ramp(step) for step in (0, 25, 50, 100)] == [0, 12.5, 25, 50]


def test_the_average_forgets_quickly_at_first():
    kept = [MixMatch().averaging(step) for step in range(20_000)]
    assert kept[0] == 0.1 and kept[-1] == 0.999 and kept == sorted(kept)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": 0}, "temperature must be above 0 and finite, got 0"),
        ({"temperature": float("nan")}, "temperature must be above 0 and finite, got nan"),
        ({"alpha": -1}, "alpha must be above 0 and finite, got -1"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0 and finite, got 0.0"),
        ({"unlabelled_weight": -0.5}, "unlabelled_weight must be 0 or more and finite, got -0.5"),
        ({"weight_decay": -1}, "weight_decay must be 0 or more and finite, got -1"),
        ({"epochs": 0}, "epochs must be 1 or more, got 0"),
        ({"iterations": 0}, "iterations must be 1 or more, got 0"),
        ({"batch": 1}, "batch must be 2 or more, since batches are normalized, got 1"),
        ({"ema": 1.0}, "ema must be 0 or more and below 1, got 1.0"),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_one_sentence(settings, message):
    with pytest.raises(ValueError) as refused:
        MixMatch(**settings)
    assert str(refused.value) == message


def test_shares_refuse_what_the_settings_refuse():
    with pytest.raises(ValueError, match="alpha must be above 0, got 0"):
        shares(0, (2,), np.random.default_rng(0))
