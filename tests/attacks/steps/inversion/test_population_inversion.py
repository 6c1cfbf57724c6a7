"""Derivatives and systems written by hand, against PyTorch and naive loops; wide tables, held values."""

import numpy as np
import pytest
import torch

from seepage.attacks.steps.inversion import population_inversion
from seepage.attacks.steps.inversion.bottom_outputs import BottomOutputs, PinnedSystems
from seepage.attacks.steps.inversion.population_inversion import Population, PopulationInversion, SentRows
from seepage.layouts import ImageShape
from seepage.networks.architectures import Dense, ResNet


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
