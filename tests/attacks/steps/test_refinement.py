"""Model refinement: Eq. 11 to 13 by hand, a bound that holds, and chance of its own."""

import copy
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import nn
from torch.nn import functional as F

from seepage.attacks.steps.augmentation import PredictionHead, Refinement, output_losses

HAS = torch.tensor([True, True, False, False])


def refinement(weight=1.0, hidden=(8, 4), dropout=0.0, learning_rate=1e-3, seed=0):
    return Refinement(weight, hidden, learning_rate, dropout, np.random.default_rng(seed))


def test_the_loss_is_that_of_equations_11_to_13_worked_out_by_hand():
    outputs = torch.tensor([[1.0, -3.0], [0.5, 0.5], [2.0, 0.0], [0.0, 0.0]], dtype=torch.float64)
    found = refinement(weight=0.3)
    loss = found.loss(outputs, HAS).item()
    (head,) = found._made
    total = 0.0
    for row, has in zip(outputs, HAS.tolist(), strict=True):
        without, with_it = head.logits(row[None].numpy().astype(np.float32))[0].tolist()
        right = with_it if has else without
        total += math.log(math.exp(without) + math.exp(with_it)) - right  # Eq. 11
        norm = sum(abs(value) for value in row.tolist()) / 2
        total += 0.3 * (-1 if has else 1) * norm / (1 + norm)  # Eq. 12, 13
    assert loss == pytest.approx(total, abs=1e-6)


def test_a_weight_of_0_leaves_the_output_loss_out():
    outputs = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    alone = refinement(weight=0.0)
    loss = alone.loss(outputs, HAS)
    (head,) = alone._made
    said = torch.from_numpy(head.logits(outputs.numpy()))
    assert loss.item() == pytest.approx(F.cross_entropy(said, HAS.long(), reduction="sum").item())
    assert refinement(weight=1.0).loss(outputs, HAS).item() == pytest.approx(
        loss.item() + output_losses(outputs, HAS).sum().item(), abs=1e-6
    )


@given(arrays(np.float64, (4, 3), elements=st.floats(-1e6, 1e6)))
def test_the_output_loss_is_bounded_and_pulls_the_right_way(values):
    outputs = torch.from_numpy(values).requires_grad_()
    losses = output_losses(outputs, HAS)
    assert (losses.abs() <= 1).all()
    (gradient,) = torch.autograd.grad(losses.sum(), outputs)
    step = outputs - 1e-3 * gradient
    grown = step.abs().mean(dim=1) - outputs.abs().mean(dim=1)
    large = outputs.abs().min(dim=1).values > 1e-2  # a step does not cross 0
    assert (grown[large & HAS] >= 0).all() and (grown[large & ~HAS] <= 0).all()


def pulled(pull, has, steps=500):
    """Let the pull alone train a small network; return its largest norm and its last, largest gradient."""
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(20, 5, generator=generator)
    bottom = torch.empty(5, 16).normal_(0, 0.3, generator=generator).requires_grad_()
    top = torch.empty(16, 4).normal_(0, 0.3, generator=generator).requires_grad_()
    for _ in range(steps):
        outputs = torch.relu(rows @ bottom) @ top
        found = torch.autograd.grad(pull(outputs, has).mean(), (bottom, top))
        with torch.no_grad():
            bottom -= 0.1 * found[0]
            top -= 0.1 * found[1]
    return outputs.abs().mean(dim=1).max().item(), max(gradient.abs().max().item() for gradient in found)


@pytest.mark.parametrize("having", [10, 20])
def test_norms_cannot_run_away_under_the_pull_alone(having):
    has = torch.arange(20) < having
    assert pulled(output_losses, has)[0] < 20
    assert not pulled(as_printed, has)[0] < 1e6  # without a bound the same steps do run away


def test_the_pull_on_rows_that_it_made_long_vanishes():
    has = torch.ones(20, dtype=torch.bool)
    (_, at_first), (_, at_last) = (pulled(output_losses, has, steps) for steps in (1, 3000))
    assert at_last < 0.1 * at_first


def as_printed(outputs, has):
    """Eq. 12 with +1 and −1, averaged over the width but without a bound."""
    return (1 - 2 * has.to(outputs)) * outputs.abs().mean(dim=1)


def test_the_pull_on_a_long_row_vanishes():
    outputs = (10.0 ** torch.arange(6, dtype=torch.float64))[:, None].requires_grad_()
    (gradient,) = torch.autograd.grad(output_losses(outputs, torch.ones(6, dtype=torch.bool)).sum(), outputs)
    assert torch.allclose(gradient.abs(), 1 / (1 + outputs.detach()) ** 2)


def test_the_head_learns_first_and_is_held_still_for_the_pull():
    outputs = torch.randn(4, 3, generator=torch.Generator().manual_seed(1)).requires_grad_()
    found = refinement(learning_rate=0.1)
    losses = [found.loss(outputs, HAS) for _ in range(30)]
    assert losses[-1] < losses[0] - 1
    assert outputs.grad is None  # teaching the head does not reach the bottom model
    (head,) = found._made
    before = head.layers.weights.copy()
    losses[-1].backward()
    assert outputs.grad is not None and outputs.grad.abs().max() > 0
    assert np.array_equal(before, head.layers.weights)


def test_a_head_can_tell_sides_apart_after_a_while():
    generator = torch.Generator().manual_seed(2)
    has = torch.arange(200) < 100
    outputs = torch.randn(200, 6, generator=generator) + 2.0 * has[:, None]
    found = refinement(hidden=(16,), dropout=0.1, learning_rate=0.01)
    for _ in range(100):
        found.loss(outputs, has)
    (head,) = found._made
    assert (head.logits(outputs.numpy()).argmax(axis=1) == has.numpy()).mean() > 0.97


def test_chance_comes_from_the_generator_alone_and_repeats_itself():
    outputs = torch.randn(4, 3, generator=torch.Generator().manual_seed(3))
    state = torch.random.get_rng_state()
    one = refinement(dropout=0.5)
    first = [one.loss(outputs, HAS).item() for _ in range(3)]
    assert torch.equal(state, torch.random.get_rng_state())
    torch.rand(100)  # what others draw does not matter
    again = refinement(dropout=0.5)
    assert first == [again.loss(outputs, HAS).item() for _ in range(3)]
    other = refinement(dropout=0.5, seed=1)
    assert first != [other.loss(outputs, HAS).item() for _ in range(3)]


def test_dropout_lets_the_right_share_of_units_sit_out_while_learning():
    head = drawn_head(2, (10_000, 3), dropout=0.3)
    wide, narrow = head._staying(1)
    assert wide.shape == (1, 10_000) and narrow.shape == (1, 3)
    assert (wide == 0).mean() == pytest.approx(0.3, abs=0.02)
    assert wide.mean() == pytest.approx(1.0, abs=0.03)
    values = np.ones((1, 2), dtype=np.float32)
    assert np.array_equal(head.logits(values), head.logits(values))
    assert head.pull(values, np.array([True]))[0] == head.pull(values, np.array([True]))[0]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_pull_has_the_kind_of_numbers_that_the_bottom_model_has(dtype):
    found = refinement(hidden=())
    outputs = torch.ones(4, 3, dtype=dtype).requires_grad_()
    loss = found.loss(outputs, HAS)
    loss.backward()
    assert loss.dtype == outputs.grad.dtype == dtype


def drawn_head(inputs, hidden, dropout=0.0, seed=0):
    return PredictionHead.drawn(inputs, hidden, learning_rate=0.01, dropout=dropout, rng=np.random.default_rng(seed))


def in_torch(head):
    """The same layers in PyTorch."""
    modules = []
    for matrix, bias in head.layers.of(head.layers.weights):
        layer = nn.Linear(*matrix.shape)
        layer.load_state_dict({"weight": torch.from_numpy(matrix.T.copy()), "bias": torch.from_numpy(bias.copy())})
        modules += [layer, nn.Tanh()]
    return nn.Sequential(*modules[:-1])


@pytest.mark.parametrize("hidden", [(), (7,), (9, 5, 4)])
def test_the_head_learns_and_pulls_as_the_same_layers_do_in_pytorch(hidden):
    generator = torch.Generator().manual_seed(4)
    head = drawn_head(6, hidden)
    twin = in_torch(head)
    optimizer = torch.optim.Adam(twin.parameters(), lr=0.01)
    for _ in range(20):
        outputs, has = torch.randn(11, 6, generator=generator), torch.rand(11, generator=generator) < 0.4
        head.learn(outputs.numpy(), has.numpy())
        optimizer.zero_grad()
        F.cross_entropy(twin(outputs), has.long()).backward()
        optimizer.step()
    outputs.requires_grad_()
    loss = F.cross_entropy(twin(outputs), has.long(), reduction="sum")
    loss.backward()
    value, gradient = head.pull(outputs.detach().numpy(), has.numpy())
    assert value == pytest.approx(loss.item(), rel=1e-4)
    assert np.allclose(gradient, outputs.grad.numpy(), atol=1e-4)


def test_units_that_sit_out_learn_nothing_and_others_learn_as_in_pytorch():
    head = drawn_head(3, (8,), dropout=0.5)
    twin = in_torch(head)
    outputs = np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32)
    has = np.array([True, False, True, True, False])
    (scale,) = drawn_again(head)._staying(5)
    head.learn(outputs, has)
    first, last = twin[0], twin[2]
    values = torch.tanh(first(torch.from_numpy(outputs))) * torch.from_numpy(scale)
    F.cross_entropy(last(values), torch.from_numpy(has).long()).backward()
    ((slope, _), (slope_of_last, _)) = head.layers.of(head.layers.slopes)
    assert np.allclose(slope, first.weight.grad.T.numpy(), atol=1e-5)
    assert np.allclose(slope_of_last, last.weight.grad.T.numpy(), atol=1e-5)


def drawn_again(head):
    """A head that will draw the same units to sit out."""
    return PredictionHead(head.layers, head.adam, head.dropout, copy.deepcopy(head.rng))
