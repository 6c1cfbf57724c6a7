"""Generators: their penalty, their shapes, and what they are trained to do."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import nn

from seepage.attacks.steps.generation.generator import (
    FilledModel,
    FreeValues,
    Generator,
    GeneratorSettings,
    Problem,
    completed,
    confidence_error,
    generated,
    train_generator,
    variance_penalty,
)

SETTINGS = GeneratorSettings(
    steps=300, batch=50, learning_rate=1e-3, decay="cosine", variance_weight=0.0, variance_limit=0.0, half_weight=0.0
)


def naive_penalty(units, limit):
    """The mean over columns of what their variance is above the limit, written out."""
    rows, columns = units.shape
    total = 0.0
    for column in range(columns):
        mean = sum(units[row, column] for row in range(rows)) / rows
        variance = sum((units[row, column] - mean) ** 2 for row in range(rows)) / (rows - 1)
        total += max(0.0, variance - limit)
    return total / columns


@given(arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 4)), elements=st.floats(0, 1)), st.floats(0, 0.3))
def test_the_penalty_is_what_the_formula_says(units, limit):
    assert variance_penalty(torch.as_tensor(units), limit).item() == pytest.approx(naive_penalty(units, limit))


def test_the_penalty_depends_neither_on_the_batch_nor_on_the_number_of_columns():
    rng = np.random.default_rng(0)
    values = rng.random((200_000, 1))
    in_batches = [
        torch.stack([variance_penalty(batch, 0.0) for batch in torch.as_tensor(values).split(size)]).mean().item()
        for size in (4, 64, 1000)
    ]
    assert in_batches == pytest.approx([1 / 12] * 3, rel=0.02)
    repeated = torch.as_tensor(np.repeat(values[:100], 7, axis=1))
    assert variance_penalty(repeated, 0.0).item() == pytest.approx(variance_penalty(repeated[:, :1], 0.0).item())


def test_below_its_threshold_the_penalty_is_nothing_and_pulls_nowhere():
    units = torch.tensor([[0.4, 0.0], [0.6, 1.0]], requires_grad=True)  # variances 0.02 and 0.5
    penalty = variance_penalty(units, limit=0.1)
    torch.autograd.backward([penalty])
    assert penalty.item() == pytest.approx(0.2)
    assert torch.equal(units.grad[:, 0], torch.zeros(2)) and (units.grad[:, 1] != 0).all()
    assert variance_penalty(units[:1], limit=0.0).item() == 0.0  # a single row


def test_columns_are_put_back_where_the_model_reads_them():
    known, unknown = np.array([3, 0]), np.array([2, 1])
    low, width = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 10.0, 100.0, 1000.0])
    completion = FilledModel(nn.Identity(), known, unknown, low, width)
    found = completion(torch.tensor([[0.4, 0.1]]), torch.tensor([[0.3, 0.2]]))
    assert found.tolist()[0] == pytest.approx([0.1, 3.0, 32.0, 403.0])


def linear_problem(rows=200):
    """Confidences of a softmax over two columns, of which the second is to be found."""
    torch.manual_seed(0)
    layer = nn.Linear(2, 2)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[0.5, 1.0], [-0.5, -1.0]]))
        layer.bias.zero_()
    model = nn.Sequential(layer, nn.Softmax(dim=1))
    completion = FilledModel(model, np.array([0]), np.array([1]), np.zeros(2), np.ones(2))
    own, true = torch.rand(rows, 1), 0.2 + 0.6 * torch.rand(rows, 1)
    released = completed(completion, own, true)
    return Problem(completion, own, torch.cat((own, released), dim=1), released), true


@pytest.mark.parametrize("kind", ["generator", "free"])
def test_one_unknown_column_of_a_linear_model_is_found(kind):
    problem, true = linear_problem()
    guesser = Generator(3, 1, start=0.1) if kind == "generator" else FreeValues(200, 1)
    train_generator(guesser, problem, torch.arange(200), SETTINGS)
    found = generated(guesser, problem.read, draws=5)
    assert (found - true).square().mean().item() < 0.05 * true.var().item()


def test_the_frozen_model_is_left_as_it_was():
    problem, _ = linear_problem()
    before = {name: value.clone() for name, value in problem.completion.state_dict().items()}
    train_generator(Generator(3, 1), problem, torch.arange(200), SETTINGS)
    assert all(torch.equal(before[name], value) for name, value in problem.completion.state_dict().items())


def test_weights_hold_values_at_half_and_variances_down():
    problem, _ = linear_problem()

    def trained(**settings):
        torch.manual_seed(1)
        guesser = Generator(3, 1)
        train_generator(guesser, problem, torch.arange(200), GeneratorSettings(**(vars(SETTINGS) | settings)))
        return generated(guesser, problem.read)

    free = trained()
    assert trained(half_weight=100.0).sub(0.5).abs().mean() < 0.1 * free.sub(0.5).abs().mean()
    assert trained(variance_weight=100.0).var() < 0.1 * free.var()
    assert trained(variance_weight=100.0, variance_limit=0.25).var() == free.var()


def test_a_small_start_is_near_half_and_noise_matters_only_where_it_is_read():
    torch.manual_seed(0)
    read = torch.rand(100, 4)
    assert (generated(Generator(4, 3, start=1e-4), read) - 0.5).abs().max() < 1e-3
    silent, noisy = Generator(4, 3, noise=False), Generator(4, 3)
    assert torch.equal(generated(silent, read), generated(silent, read))
    assert not torch.equal(generated(noisy, read), generated(noisy, read))
    spread = [torch.stack([generated(noisy, read, draws) for _ in range(20)]).var(dim=0).mean() for draws in (1, 16)]
    assert spread[1].item() == pytest.approx(spread[0].item() / 16, rel=0.5)


def test_rows_left_out_keep_their_start_without_a_generator():
    problem, _ = linear_problem()
    guesser = FreeValues(200, 1)
    before = generated(guesser, problem.read)
    train_generator(guesser, problem, torch.arange(100), SETTINGS)
    after = generated(guesser, problem.read)
    assert torch.equal(before[100:], after[100:]) and (before[:100] != after[:100]).all()


def test_the_error_sums_over_classes_and_averages_over_rows():
    said, released = torch.tensor([[0.5, 0.5], [1.0, 0.0]]), torch.tensor([[0.5, 0.5], [0.0, 1.0]])
    assert confidence_error(said, released).item() == pytest.approx(1.0)
