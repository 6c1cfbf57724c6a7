"""Noise that is shaped by the two classes of each batch."""

import numpy as np
import pytest

from hand_made import own_part
from seepage.defenses.gradients.marvell import Marvell, shape_of
from seepage.errors import BadSetting
from seepage.messages import Kind, Message

ROWS = 64
LABELS = (np.arange(ROWS) % 4 == 0).astype(np.int64)


def gradients(rng, width=6, size=1.0):
    """Two classes a unit apart, the rarer of which spreads more."""
    spread = np.where(LABELS, 0.5, 0.2)[:, None] * rng.normal(size=(ROWS, width))
    spread[:, 0] += LABELS
    return size * spread


def started(labels=LABELS, ratio=4.0, seed=0):
    return Marvell(ratio=ratio).start(
        own_part("bank", np.zeros((len(labels), 0)), labels=labels), np.random.default_rng(seed)
    )


def sent(hook, gradient, rows=None, to="shop"):
    rows = np.arange(len(gradient)) if rows is None else rows
    return hook.message(Message(Kind.GRADIENT, "bank", to, 0, 0, rows, {"gradient": gradient})).payload["gradient"]


def test_noise_spreads_as_its_shape_says_and_spends_the_budget():
    rng = np.random.default_rng(0)
    gradient = gradients(rng)
    shape = shape_of(gradient, LABELS, 4.0)
    drawn = np.stack([shape.drawn(LABELS, rng) for _ in range(4000)])
    for name in (0, 1):
        noise = drawn[:, name == LABELS].reshape(-1, 6)
        across = noise - np.outer(noise @ shape.line, shape.line)
        assert np.var(noise @ shape.line) == pytest.approx(shape.noise.along[name], rel=0.02)
        assert np.square(across).sum(axis=1).mean() == pytest.approx(5 * shape.noise.across[name], rel=0.02, abs=1e-12)
    gap = gradient[LABELS == 1].mean(axis=0) - gradient[LABELS == 0].mean(axis=0)
    assert np.square(drawn).sum(axis=2).mean() == pytest.approx(4.0 * gap @ gap, rel=0.02)


def test_the_line_lies_between_the_means_and_size_changes_nothing_else():
    gradient = gradients(np.random.default_rng(1))
    plain, tiny = shape_of(gradient, LABELS, 4.0), shape_of(1e-25 * gradient, LABELS, 4.0)
    gap = gradient[LABELS == 1].mean(axis=0) - gradient[LABELS == 0].mean(axis=0)
    assert np.allclose(plain.line, gap / np.linalg.norm(gap)) and np.allclose(plain.line, tiny.line)
    assert np.allclose(np.array(plain.noise.along), 1e50 * np.array(tiny.noise.along))


def test_a_batch_of_one_class_is_noised_like_the_batch_before_and_silent_where_there_was_none():
    hook, gradient = started(), gradients(np.random.default_rng(0))
    ones = np.flatnonzero(LABELS)
    assert not sent(hook, gradient[ones], ones).any()
    assert not np.allclose(sent(hook, gradient), gradient)
    assert np.abs(sent(hook, gradient[ones], ones) - gradient[ones]).max() > 0.1
    assert not sent(hook, gradient[ones], ones, to="bakery").any()


def test_each_receiver_and_each_batch_gets_noise_of_its_own():
    hook, gradient = started(), gradients(np.random.default_rng(0))
    first, second, third = sent(hook, gradient), sent(hook, gradient), sent(hook, gradient, to="bakery")
    assert not np.allclose(first, second) and not np.allclose(first, third)


def test_one_number_a_row_gets_noise_along_its_only_line():
    gradient = np.random.default_rng(0).normal(size=(ROWS, 1)) + LABELS[:, None]
    assert sent(started(), gradient).shape == (ROWS, 1)


def test_classes_with_one_mean_are_sent_as_they_are():
    gradient = np.ones((4, 2))
    assert np.array_equal(sent(started(np.array([0, 1, 0, 1])), gradient), gradient)


def test_a_party_without_labels_has_nothing_to_do():
    hook = Marvell().start(own_part("shop", np.zeros((4, 2))), np.random.default_rng(0))
    assert np.array_equal(sent(hook, np.ones((4, 2))), np.ones((4, 2)))


def test_three_classes_are_refused_in_a_sentence():
    with pytest.raises(BadSetting, match=r"marvell hides one of two classes, but there are 3\. Choose another defense"):
        started(np.array([0, 1, 2, 1]))
