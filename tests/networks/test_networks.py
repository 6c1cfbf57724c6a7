"""Plain learners on their own."""

import math

import numpy as np
import pytest
import torch

from seepage.layouts import ImageShape
from seepage.networks.architectures import Dense, ResNet, from_json, to_json
from seepage.networks.losses import CrossEntropy, balanced_weights
from seepage.networks.nesterov import AcceleratedGradient
from seepage.networks.optimizers import OptimizerSettings, pace


def test_accelerated_gradient_finds_the_minimum_of_a_badly_scaled_quadratic():
    scales = torch.tensor([1.0, 1e-3], dtype=torch.float64)
    target = torch.tensor([2.0, -3.0], dtype=torch.float64)
    weights = torch.nn.Parameter(torch.zeros(2, dtype=torch.float64))
    optimizer = AcceleratedGradient([weights], curvature=1.0)
    plain = torch.nn.Parameter(torch.zeros(2, dtype=torch.float64))
    descent = torch.optim.SGD([plain], lr=1.0)
    for _ in range(600):
        for parameter, stepping in ((weights, optimizer), (plain, descent)):
            stepping.zero_grad()
            (0.5 * scales * (parameter - target) ** 2).sum().backward()
            stepping.step()
    assert (weights - target).abs().max() < 1e-6 < (plain - target).abs().max()


def test_the_penalty_of_accelerated_gradient_shrinks_the_minimum():
    weights = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer = AcceleratedGradient([weights], curvature=1.0, weight_decay=1.0)
    for _ in range(200):
        optimizer.zero_grad()
        (0.5 * (weights - 4) ** 2).sum().backward()
        optimizer.step()
    assert abs(weights.item() - 2.0) < 1e-9


def test_accelerated_gradient_refuses_a_closure():
    with pytest.raises(ValueError, match="no closure"):
        AcceleratedGradient([torch.nn.Parameter(torch.zeros(1))], curvature=1.0).step(lambda: 0)


def test_one_logit_and_two_logits_are_the_same_loss():
    logits = torch.randn(20, generator=torch.Generator().manual_seed(0))
    labels = (torch.arange(20) % 3 == 0).long()
    weights = balanced_weights(labels, 2)
    for given in (None, weights):
        one = CrossEntropy(1, given)(logits[:, None], labels)
        two = CrossEntropy(2, given)(torch.stack((torch.zeros(20), logits), dim=1), labels)
        torch.testing.assert_close(one, two)
    torch.testing.assert_close(
        CrossEntropy(1).probabilities(logits[:, None]),
        CrossEntropy(2).probabilities(torch.stack((torch.zeros(20), logits), dim=1)),
    )


def test_balanced_weights_let_every_class_weigh_the_same():
    labels = torch.tensor([0] * 90 + [1] * 9 + [2])
    weights = balanced_weights(labels, 3)
    totals = [float(weights[index] * (labels == index).sum()) for index in range(3)]
    np.testing.assert_allclose(totals, 100 / 3, rtol=1e-6)


@pytest.mark.parametrize(
    "architecture", [Dense(5, (7, 3), 2, bias=False, relu_output=True), ResNet(ImageShape(3, 9, 5), (4, 8, 8), 2, 6)]
)
def test_an_architecture_survives_json(architecture):
    import json

    assert from_json(json.loads(json.dumps(to_json(architecture)))) == architecture
    assert sum(p.numel() for p in from_json(to_json(architecture)).build().parameters()) > 0


def test_three_stages_of_three_blocks_are_resnet_20():
    network = ResNet(ImageShape(3, 32, 32), (16, 32, 64), 3, 10).build()
    layers = [m for m in network.modules() if isinstance(m, torch.nn.Conv2d) and m.kernel_size == (3, 3)]
    assert len(layers) + 1 == 20  # and the linear one
    assert network(torch.zeros(2, 3072)).shape == (2, 10)


def test_settings_become_the_named_optimizer():
    weights = [torch.nn.Parameter(torch.zeros(1))]
    sgd = OptimizerSettings(name="sgd", learning_rate=0.5, momentum=0.9, weight_decay=0.1).build(weights)
    assert isinstance(sgd, torch.optim.SGD)
    assert (sgd.defaults["lr"], sgd.defaults["momentum"], sgd.defaults["weight_decay"]) == (0.5, 0.9, 0.1)
    assert isinstance(OptimizerSettings().build(weights), torch.optim.Adam)


@pytest.mark.parametrize(("epochs", "shares"), [(30, (0.5, 0.85)), (10, (0.3,)), (3, (0.5, 0.9)), (4, ())])
def test_rates_fall_as_those_of_pytorchs_multistep_schedule(epochs, shares):
    settings = OptimizerSettings(name="sgd", learning_rate=0.1, milestones=shares)
    ours, theirs = (settings.build([torch.nn.Parameter(torch.zeros(1))]) for _ in range(2))
    starts = [math.ceil(round(share * epochs, 6)) for share in shares]
    reference = torch.optim.lr_scheduler.MultiStepLR(theirs, starts, gamma=0.1)
    for epoch in range(epochs):
        pace(ours, settings.schedule(epochs)(epoch))
        assert ours.param_groups[0]["lr"] == pytest.approx(theirs.param_groups[0]["lr"], rel=1e-12)
        theirs.step()
        reference.step()
