"""Derivatives and systems written by hand, against PyTorch and naive loops; wide tables, held values."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from seepage.attacks.steps.inversion import population_inversion
from seepage.attacks.steps.inversion.bottom_outputs import BottomOutputs, PinnedSystems
from seepage.attacks.steps.inversion.population_inversion import Population, PopulationInversion, SentRows
from seepage.layouts import ImageShape
from seepage.networks.architectures import Dense, Narrowed, ResNet


@pytest.mark.parametrize(
    "architecture",
    [Dense(5, (7, 6), 3, relu_output=True), Dense(5, (), 3), ResNet(ImageShape(1, 4, 4), (2,), 1, 3)],
)
def test_outputs_and_derivatives_are_those_of_pytorch(architecture):
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    low, width = rng.normal(size=architecture.inputs), rng.uniform(1, 2, size=architecture.inputs)
    bottom = BottomOutputs.of(architecture.build(), low, width)
    units = rng.uniform(size=(4, architecture.inputs))
    values, slopes = bottom.at(units)
    for row in range(4):
        point = torch.from_numpy(units[row])
        read = lambda one: bottom.network((torch.from_numpy(low) + torch.from_numpy(width) * one)[None])[0]  # noqa: E731
        assert np.allclose(values[row], read(point).numpy())
        assert np.allclose(slopes[row], torch.autograd.functional.jacobian(read, point).numpy())
    assert (bottom.linear() is not None) == (architecture == Dense(5, (), 3))


def test_systems_are_solved_alike_with_a_whole_and_a_diagonal_precision():
    rng = np.random.default_rng(0)
    diagonal, pins = rng.uniform(1, 2, size=6), rng.uniform(size=(3, 6))
    equations, sides = rng.normal(size=(3, 4, 6)), rng.normal(size=(3, 6))
    spread = np.zeros((6, 6))
    for precision in (diagonal, np.diag(diagonal)):
        solved = PinnedSystems(precision, pins, equations).over(sides)
        for row in range(3):
            whole = np.diag(diagonal + pins[row]) + equations[row].T @ equations[row]
            assert np.allclose(whole @ solved[row], sides[row])
            spread += np.linalg.inv(whole) / 2
    assert np.allclose(PinnedSystems(np.diag(diagonal), pins, equations).spread(), spread)
    assert np.allclose(np.diag(PinnedSystems(diagonal, pins, equations).spread()), np.diag(spread))


@pytest.mark.parametrize("wide", [128, 3])
def test_values_that_are_held_stay_and_outputs_are_explained(monkeypatch, wide):
    monkeypatch.setattr(population_inversion, "WIDE", wide)
    monkeypatch.setattr(population_inversion, "MOST_HELD", 1000)
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    bottom = BottomOutputs.of(Dense(5, (16,), 6).build(), np.zeros(5), np.ones(5))
    true = rng.uniform(0.2, 0.8, size=(30, 5))
    held = np.full(true.shape, np.nan)
    held[:, 0] = true[:, 0]
    rows = SentRows(bottom.at(true)[0], np.zeros((30, 0)), held)
    inversion = PopulationInversion(bottom, np.full(5, 0.5), np.full(5, 1 / 12))
    found = inversion.inverted(rows, (np.zeros((0, 5)), np.zeros((0, 0))), rng)
    assert np.array_equal(found.units[:, 0], true[:, 0])
    assert np.abs(found.errors).max() < 0.05 * np.abs(rows.outputs).max()
    assert found.units.min() >= 0
    assert found.units.max() <= 1


@pytest.mark.parametrize("wide", [128, 1])
def test_a_population_goes_as_far_again_and_stays_one(monkeypatch, wide):
    monkeypatch.setattr(population_inversion, "WIDE", wide)
    rng = np.random.default_rng(0)
    spreads = [one.T @ one / 9 + 0.01 * np.eye(2) for one in rng.normal(size=(2, 9, 2)) * np.array([[[1.0]], [[0.2]]])]
    before, after = (Population(np.full(2, 0.5), rng.normal(size=(3, 2)), spread) for spread in spreads)
    further = after.beyond(before)
    assert np.allclose(further.weights - after.weights, after.weights - before.weights)
    assert np.linalg.eigvalsh(further.covariance).min() > 0  # though it shrank to a fraction
    still = after.beyond(after)
    assert np.allclose(still.weights, after.weights)
    assert np.allclose(np.diag(still.covariance), np.diag(after.covariance))


def drawn(rows=300, columns=6):
    """Correlated values away from the middle of their range, so that a population is worth learning."""
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(rows, 2)) @ rng.normal(size=(2, columns))
    return np.clip(0.3 + 0.1 * factors + 0.02 * rng.normal(size=(rows, columns)), 0.0, 1.0), rng


def missed(bottom, outputs, true):
    rows = SentRows(outputs, np.zeros((len(true), 0)), np.full(true.shape, np.nan))
    middle, even = np.full(true.shape[1], 0.5), np.full(true.shape[1], 1 / 12)
    nothing = (np.zeros((0, true.shape[1])), np.zeros((0, 0)))
    found = PopulationInversion(bottom, middle, even).inverted(rows, nothing, np.random.default_rng(0))
    return np.mean((found.units - true) ** 2)


def test_noise_that_a_relu_tells_of_does_not_keep_the_population_from_being_learned():
    torch.manual_seed(0)
    true, rng = drawn()
    bottom = BottomOutputs.of(Dense(6, (32,), 16, relu_output=True).build(), np.zeros(6), np.ones(6))
    clear = np.maximum(bottom.at(true)[0], 0.0)
    noise = 0.3 * np.sqrt(np.mean(clear**2))
    sent = clear + rng.normal(scale=noise, size=clear.shape)
    heard = bottom.heard(sent)
    assert heard.noise == pytest.approx(noise**2, rel=0.2) and bottom.heard(clear).noise == 0.0
    assert missed(heard, sent, true) < 0.75 * missed(bottom, sent, true)


def test_rows_that_were_clipped_are_told_by_their_direction():
    torch.manual_seed(0)
    true, _ = drawn()
    architecture = Narrowed.of(Dense(6, (32,), 16, relu_output=True), bound=1.0)
    network = architecture.build()
    for parameter in network.parameters():
        parameter.data *= 3  # so that most rows are too long
    sent = network(torch.from_numpy(true).float()).detach().numpy().astype(np.float64)
    assert np.mean(np.linalg.norm(sent, axis=1) > 0.999) > 0.9
    knowing = BottomOutputs.of(network, np.zeros(6), np.ones(6))
    assert missed(knowing, sent, true) < 0.5 * missed(replace(knowing, bound=np.inf), sent, true)


def test_a_released_bottleneck_is_read_in_units_of_its_own_noise():
    torch.manual_seed(0)
    network = Narrowed.of(Dense(6, (8,), 3)).build()
    low, width = np.full(6, -1.0), np.full(6, 2.0)
    with torch.no_grad():
        mean, spread = network.double().told(torch.zeros(1, 6, dtype=torch.float64))
    read = BottomOutputs.of(network, low, width)
    assert read.noise == 1.0 and np.allclose(read.unit, spread.numpy()) and read.linear() is None
    assert np.allclose(read.at(np.full((1, 6), 0.5))[0] * read.unit, mean.numpy())
