"""The small network in NumPy, against PyTorch step by step."""

import numpy as np
import pytest
import torch

from seepage.learners.small_network import Adam, Layers, SmallNetwork


def twin(layers):
    """The same network in PyTorch."""
    modules = []
    for matrix, bias in layers.of(layers.weights):
        linear = torch.nn.Linear(*matrix.shape)
        linear.weight.data, linear.bias.data = torch.from_numpy(matrix.T.copy()), torch.from_numpy(bias.copy())
        modules += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*modules[:-1])


@pytest.mark.parametrize("hidden", [(64, 32), (8,), (), (5, 4, 3)])
def test_gradients_and_steps_are_those_of_pytorch(hidden):
    rng = np.random.default_rng(0)
    rows, has = rng.normal(size=(96, 6)).astype(np.float32), rng.uniform(size=96) < 0.4
    layers = Layers.drawn((6, *hidden, 1), rng)
    network = twin(layers)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01, weight_decay=1e-2)
    adam = Adam(layers.weights, 0.01, 1e-2)
    for step in range(30):
        piece = slice(32 * (step % 3), 32 * (step % 3) + 32)
        said = network(torch.from_numpy(rows[piece]))[:, 0]
        assert np.allclose(layers.probabilities(rows[piece]), torch.sigmoid(said).detach().numpy(), atol=1e-4)
        optimizer.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(said, torch.from_numpy(has[piece]).float()).backward()
        optimizer.step()
        adam.step(layers.gradient(rows[piece], has[piece].astype(np.float32)))
    for (matrix, bias), linear in zip(layers.of(layers.weights), network[::2], strict=True):
        assert np.allclose(matrix, linear.weight.detach().numpy().T, atol=2e-3)
        assert np.allclose(bias, linear.bias.detach().numpy(), atol=2e-3)


def test_weights_start_with_the_variance_of_he():
    layers = Layers.drawn((500, 300, 1), np.random.default_rng(0))
    (first, bias), _ = layers.of(layers.weights)
    assert first.std() == pytest.approx(np.sqrt(2 / 500), rel=0.02) and not bias.any()


def test_what_is_not_linear_is_learned_and_one_seed_repeats_itself():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 2))
    has = rows[:, 0] * rows[:, 1] > 0
    one, two = (SmallNetwork().fitted(rows[:500], has[:500], np.random.default_rng(1)) for _ in range(2))
    assert ((one(rows[500:]) > 0.5) == has[500:]).mean() > 0.9
    assert np.array_equal(one(rows), two(rows))


def test_the_scale_of_columns_is_no_matter_and_still_columns_do_no_harm():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 3)).astype(np.float32)
    rows[:, 2] = 0.3  # the same for everybody, up to what float32 makes of it
    has = rows[:, 0] > 0
    scaled = rows * np.array([1e-6, 1e3, 1], dtype=np.float32)
    one, two = (SmallNetwork(passes=10).fitted(each, has, np.random.default_rng(1)) for each in (rows, scaled))
    assert np.allclose(one(rows), two(scaled), atol=0.05)
    rows[0, 2] = 0.4
    assert np.isfinite(one(rows)).all() and ((one(rows) > 0.5) == has).mean() > 0.9
    assert one(rows[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"hidden": (4, 0)}, "network.hidden must be"),
        ({"passes": 0}, "network.passes must be 1 or more, got 0"),
        ({"batch": 0}, "network.batch must be 1 or more, got 0"),
        ({"learning_rate": 0.0}, "network.learning_rate must be above 0 and finite, got 0.0"),
        ({"weight_decay": -1.0}, "network.weight_decay must be 0 or more and finite, got -1.0"),
    ],
)
def test_settings_are_checked(changes, complaint):
    with pytest.raises(ValueError, match=complaint.replace(".", r"\.")):
        SmallNetwork(**changes)
