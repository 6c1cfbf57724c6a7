"""What passes a bottleneck is as noisy as it says, costs what it says, and is built again from its description."""

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.stats import norm
from torch import nn

from seepage.errors import BadSetting
from seepage.layouts import TextShape
from seepage.networks.architectures import Dense, Identity, Narrowed, from_json, load_state, state_of, to_json
from seepage.networks.bottleneck import BehindOwn, Bottleneck, Clipped, Noise, divergence
from seepage.networks.heads import TopModel, head_from_json, head_to_json
from seepage.networks.joint_network import pack_part, unpack_bottom, unpack_parts
from seepage.networks.transformer_bottom import Transformer


def noise(weight=0.0, seed=0):
    return Noise(weight, torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("mean", "spread"), [(0.0, 1.0), (1.5, 0.3), (-2.0, 2.5), (0.1, 0.01)])
def test_what_a_row_says_is_the_integral_of_its_definition(mean, spread):
    def integrand(x):
        return norm.pdf(x, mean, spread) * (norm.logpdf(x, mean, spread) - norm.logpdf(x))

    found, _ = quad(integrand, mean - 12 * spread, mean + 12 * spread, points=[mean], epsabs=1e-12)
    said = divergence(torch.tensor([[mean]], dtype=torch.float64), torch.tensor([[spread]], dtype=torch.float64))
    assert said.item() == pytest.approx(found, abs=1e-8)


def test_what_is_passed_on_is_drawn_around_the_mean_as_widely_as_it_says():
    torch.manual_seed(0)
    layer = Bottleneck(nn.Linear(3, 2), 2, noise())
    rows = torch.tensor([[0.5, -1.0, 2.0]]).repeat(20_000, 1)
    mean, spread = layer.told(rows[:1])
    passed = layer(rows)
    assert torch.allclose(passed.mean(dim=0), mean[0], atol=4 * spread.max().item() / 20_000**0.5)
    assert torch.allclose(passed.std(dim=0), spread[0], rtol=0.03)
    assert not torch.equal(layer.eval()(rows), passed)  # in prediction too, and anew each time


def test_the_gradient_of_what_is_paid_joins_the_one_that_comes_back():
    torch.manual_seed(0)
    rows, weight = torch.randn(5, 3), 0.7
    free, paid = Bottleneck(nn.Linear(3, 2), 2, noise(0.0)), Bottleneck(nn.Linear(3, 2), 2, noise(weight))
    paid.load_state_dict(free.state_dict())
    back = torch.randn(5, 2)
    for layer in (free, paid):
        layer(rows).backward(back)
    cost = weight * divergence(*paid.told(rows)).mean()
    alone = torch.autograd.grad(cost, list(paid.parameters()))
    for plain, with_cost, added in zip(free.parameters(), paid.parameters(), alone, strict=True):
        assert torch.allclose(with_cost.grad - plain.grad, added, atol=1e-6)


def test_own_numbers_pass_and_those_of_others_do_not_pass_as_they_are():
    torch.manual_seed(0)
    layer, rows = BehindOwn(2, 3, noise()), torch.randn(4, 5)
    assert torch.equal(layer(rows)[:, :2], rows[:, :2]) and not torch.isclose(layer(rows)[:, 2:], rows[:, 2:]).any()


@pytest.mark.parametrize("bound", [None, 1.5])
@pytest.mark.parametrize("below", [Dense(3, (4,), 2, relu_output=True), Identity(3)], ids=["mlp", "identity"])
def test_a_narrowed_bottom_model_is_built_again_as_it_was_released(below, bound):
    described = Narrowed.of(below, bound)
    assert from_json(to_json(described)) == described
    assert (described.inputs, described.outputs, described.reads) == (3, below.outputs, below.reads)
    network, rows = described.build(), torch.randn(4, 3)
    columns, again = unpack_bottom(pack_part(["a", "b", "c"], (described, network)))
    assert columns == ["a", "b", "c"] and torch.equal(again(rows), network(rows))
    if bound is None:
        network.noise = noise()
        assert torch.equal(again(rows), network.told(rows)[0])  # what is released passes means on, and tells the rest
        assert torch.equal(again.told(rows)[1], network.told(rows)[1])


def test_a_head_with_a_bottleneck_is_built_again_and_one_without_is_written_as_before():
    head = TopModel(5, (4,), 2, narrowed=3)
    assert head_from_json(head_to_json(head)) == head
    assert set(head_to_json(TopModel(5, (4,), 2))) == {"kind", "inputs", "hidden", "outputs"}
    built, embeddings = head.build(), [torch.randn(4, 2), torch.randn(4, 3)]
    again = load_state(head_from_json(head_to_json(head)).build(), state_of(built))
    assert torch.equal(built(embeddings), again(embeddings))
    bottoms = [Identity(2), Identity(3)]
    parts = [pack_part(["a", "b"], (bottoms[0], bottoms[0].build()), (head, built))]
    parts.append(pack_part(["c", "d", "e"], (bottoms[1], bottoms[1].build())))
    assert torch.equal(unpack_parts(parts, 2).logits(torch.cat(embeddings, dim=1)), built(embeddings))


def test_a_clipped_row_keeps_its_direction():
    rows = torch.randn(50, 4, dtype=torch.float64)
    clipped = Clipped(nn.Identity(), bound=1.2)(rows)
    np.testing.assert_allclose(clipped.norm(dim=1), rows.norm(dim=1).clamp(max=1.2))
    np.testing.assert_allclose(torch.cosine_similarity(clipped, rows), 1.0)


def test_a_pretrained_encoder_is_not_narrowed():
    encoder = Transformer(TextShape(6, 100), width=8, layers=1, heads=2, feedforward=16, outputs=3, encoder="bert")
    with pytest.raises(BadSetting, match="cannot be narrowed"):
        Narrowed.of(encoder)
