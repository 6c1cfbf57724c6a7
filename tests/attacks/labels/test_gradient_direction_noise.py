"""Noise on gradients that is shaped to hide labels, read by somebody who knows how it is shaped."""

import numpy as np
import pytest
from scipy.stats import norm

from hand_made import own_part
from pulled_gradients import pulled, some_of_each, view_of
from seepage.attacks.labels.gradient_direction import GradientDirection
from seepage.attacks.steps.directions.direction_space import direction_spaces
from seepage.attacks.steps.directions.lines import line_space
from seepage.attacks.steps.directions.strengths import strength_space
from seepage.attacks.steps.directions.sums import sum_space
from seepage.defenses.gradients.marvell import Marvell
from seepage.defenses.gradients.max_norm import stretched
from seepage.messages import Kind, Message


def named(gradients, labels, known, classes):
    view = view_of(gradients, labels, known, classes=classes)
    guess = GradientDirection().run(view, np.random.default_rng(0))
    others = ~np.isin(guess.rows, known)
    return np.mean(guess.labels[others] == labels[guess.rows[others]])


def behind_a_lossy_cut(labels, rng, *, epochs=8, width=8, rank=3):
    """Gradients of two classes that fill a few directions of a wide cut; the rarer class is pulled harder."""
    made = []
    for _ in range(epochs):
        basis = np.linalg.qr(rng.normal(size=(width, rank)))[0]
        wrong = np.where(labels, -0.8, 0.2) * rng.uniform(0.5, 1.2, len(labels))
        jacobians = np.array([1.0, 0.0, 0.0])[:rank] + 0.5 * rng.normal(size=(len(labels), rank))
        made.append(wrong[:, None] * jacobians @ basis.T)
    return np.stack(made, axis=1)


def test_stretching_along_a_line_leaves_the_line_and_with_several_classes_lines_name_them():
    rng = np.random.default_rng(0)
    labels = rng.integers(4, size=400)
    clear = pulled(labels, rng, epochs=12, width=6, classes=4)
    lengths = rng.lognormal(sigma=1.5, size=(400, 12, 1))  # a model that has learned pulls most rows next to not at all
    sent = np.stack([stretched(clear[:, epoch] * lengths[:, epoch], rng) for epoch in range(12)], axis=1)
    assert named(sent, labels, some_of_each(labels, 4), 4) > 0.97


@pytest.mark.parametrize("ratio", [4.0, 100.0])
def test_noise_that_one_class_alone_gets_across_the_line_names_it_however_strong(ratio):
    rng = np.random.default_rng(1)
    labels = (rng.random(400) < 0.25).astype(np.int64)
    bank = own_part("bank", np.zeros((400, 0)), labels=labels)
    hook = Marvell(ratio=ratio).start(bank, rng)
    clear = behind_a_lossy_cut(labels, rng)
    messages = [
        Message(Kind.GRADIENT, "bank", "shop", epoch, 0, np.arange(400), {"gradient": clear[:, epoch]})
        for epoch in range(clear.shape[1])
    ]
    sent = np.stack([hook.message(message).payload["gradient"] for message in messages], axis=1)
    assert named(sent, labels, some_of_each(labels, 4), 2) > 0.97


def test_noise_alike_for_all_tells_nothing():
    rng = np.random.default_rng(2)
    labels = rng.integers(2, size=400)
    assert named(rng.normal(size=(400, 8, 6)), labels, some_of_each(labels, 4), 2) < 0.6


def test_turning_rows_around_moves_them_neither_among_lines_nor_among_strengths():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(50, 4, 3))
    values[5] = 0.0
    turned = values * rng.choice([-1, 1], size=(50, 4, 1))
    for space in (line_space(values, 5), strength_space(values)):
        assert np.allclose(space.coordinates(values), space.coordinates(turned))
        assert not space.coordinates(values)[5].any()
    (main,) = direction_spaces(values, 1.0, (5,))
    assert not np.allclose(main.coordinates(values), main.coordinates(turned))


def test_strengths_are_the_mean_logarithm_of_squares_along_main_directions():
    rng = np.random.default_rng(4)
    values = rng.normal(size=(30, 3, 4)) * np.array([1.0, 0.5, 0.2, 1e-3])
    values[:3, 1] = 0.0
    slow = np.zeros((30, 4))
    for row in range(30):
        heard = [epoch for epoch in range(3) if values[row, epoch].any()]
        for epoch in heard:
            others = values[:, epoch][values[:, epoch].any(axis=1)]
            variances, axes = np.linalg.eigh(others.T @ others / len(others))
            for place in range(4):
                along = (values[row, epoch] @ axes[:, ::-1][:, place]) ** 2 / variances[::-1][place]
                slow[row, place] += np.log(along + 1e-3) / len(heard)
    assert np.allclose(strength_space(values).coordinates(values), slow - slow.mean(axis=0))


def test_noise_that_is_drawn_anew_averages_out_over_epochs_in_which_a_class_is_pulled_the_same_way():
    rng = np.random.default_rng(5)
    labels = rng.integers(2, size=600)
    pull = (0.5 - labels)[:, None, None] * np.array([1.0, 0.5, -0.5])
    along = rng.normal(scale=4.0, size=(600, 30, 1)) * np.array([1.0, 0.5, -0.5])
    sent = pull + along
    sums = sum_space(sent, 1).coordinates(sent)[:, 0]
    epochs = direction_spaces(sent, 1.0, (1,))[0].coordinates(sent)[:, 0]
    right, one_by_one = (
        max(np.mean((score > 0) == labels), np.mean((score < 0) == labels)) for score in (sums, epochs)
    )
    best = norm.cdf(0.25 * np.sqrt(30) / 2)  # what telling apart two Gaussians on a line comes to
    assert right > best - 0.04 and right > one_by_one + 0.1
