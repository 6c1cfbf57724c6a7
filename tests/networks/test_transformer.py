import numpy as np
import pytest
import torch
from torch.func import functional_call, grad, stack_module_state, vmap

from seepage.networks.architectures import Transformer, from_json, to_json
from seepage.networks.joint_network import pack_part, unpack_parts
from seepage.networks.seeding import torch_seeded
from seepage.shapes import TextShape

SMALL = Transformer(TextShape(5, 40), width=8, layers=3, heads=2, feedforward=16, outputs=4)
ROWS = torch.tensor([[3.0, 9.0, 0.0, 0.0, 0.0], [4.0, 5.0, 6.0, 7.0, 8.0], [0.0, 0.0, 0.0, 0.0, 0.0]])


def built(architecture: Transformer = SMALL, seed: int = 0):
    with torch_seeded(np.random.default_rng(seed)):
        return architecture.build()


@pytest.mark.parametrize("marks", [(0,), (1, 2)])
@pytest.mark.parametrize("layer", [0, 1, 3])
def test_mixing_a_row_with_nothing_of_another_leaves_it_as_it_is(marks, layer):
    network = built(Transformer(TextShape(5, 40), 8, 3, 2, 16, 4, marks=marks, mix_layer=layer))
    hidden = network.lower(ROWS)
    others = hidden[[1, 2, 0]]
    mixed = network.upper(1.0 * hidden + 0.0 * others)
    assert torch.equal(mixed, network(ROWS))
    assert not torch.equal(network.upper(0.9 * hidden + 0.1 * others), mixed)


def test_mixing_changes_steadily_from_one_row_to_the_other():
    network = built()
    hidden = network.lower(ROWS)
    first, second = hidden[:1], hidden[1:2]
    said = torch.cat([network.upper(share * first + (1 - share) * second) for share in (1.0, 0.999, 0.001, 0.0)])
    assert torch.allclose(said[0], said[1], atol=0.05)
    assert torch.allclose(said[2], said[3], atol=0.05)


def test_places_without_words_say_nothing():
    network = built()
    hidden = network.lower(ROWS[:1])
    disturbed = hidden.clone()
    disturbed[:, 3:, :-1] = 7.0  # behind the mark and two words
    assert torch.equal(network.upper(disturbed), network.upper(hidden))
    wider = Transformer(TextShape(9, 40), 8, 3, 2, 16, 4).build()
    state = network.state_dict()
    state["positions.weight"] = torch.cat([state["positions.weight"], torch.randn(4, 8)])
    wider.load_state_dict(state)
    assert torch.allclose(wider(torch.nn.functional.pad(ROWS, (0, 4))), network(ROWS), atol=1e-6)


def test_the_order_of_words_matters():
    network = built()
    assert not torch.allclose(network(ROWS[:1]), network(ROWS[:1, [1, 0, 2, 3, 4]]), atol=1e-4)


def test_an_empty_text_is_read():
    said = built()(ROWS[2:])
    said.sum().backward()
    assert torch.isfinite(said).all()


def test_numbers_beyond_the_vocabulary_are_read_as_its_ends():
    network = built()
    assert torch.equal(network(torch.full((1, 5), 1e6)), network(torch.full((1, 5), 39.0)))


def test_many_are_trained_at_once_as_one_by_one():
    networks = [built(seed=seed) for seed in range(3)]
    parameters, buffers = stack_module_state(networks)
    base = built()

    def loss(state, held, rows):
        first = functional_call(base, (state, held), (rows,))
        return (first**2).mean()

    rows = torch.stack([ROWS, ROWS.flip(0), ROWS[[1, 1, 0]]])
    together = vmap(grad(loss))(parameters, buffers, rows)
    for number, network in enumerate(networks):
        (network(rows[number]) ** 2).mean().backward()
        for name, parameter in network.named_parameters():
            assert torch.allclose(together[name][number], parameter.grad, atol=1e-6)


def test_an_architecture_survives_being_written_down():
    assert from_json(to_json(SMALL)) == SMALL
    assert SMALL.inputs == 5


def test_a_released_transformer_can_be_put_together_again():
    from seepage.networks.heads import Sum

    network = built()
    names = [f"word_{place}" for place in range(5)]
    parts = [pack_part(names, (SMALL, network), (Sum(4, False), torch.nn.Module()))]
    assert torch.equal(unpack_parts(parts, outputs=4).logits(ROWS), network(ROWS))
    with pytest.raises(ValueError, match="reads 5 columns, but its part names 4"):
        unpack_parts([pack_part(names[:4], (SMALL, network), (Sum(4, False), torch.nn.Module()))], outputs=4)


def test_half_precision_says_nearly_the_same():
    network = built()
    with torch.autocast("cpu", torch.bfloat16):
        halved = network(ROWS)
        hidden = network.lower(ROWS)
        assert torch.equal(network.upper(1.0 * hidden + 0.0 * hidden[[1, 2, 0]]), halved)
    assert torch.allclose(halved.float(), network(ROWS), atol=0.05)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"heads": 3}, r"width must be a multiple of heads \(3\), got 8"),
        ({"layers": 0}, "layers must be a whole number of 1 or more, got 0"),
        ({"outputs": 2.5}, r"outputs must be a whole number of 1 or more, got 2\.5"),
        ({"feedforward": "wide"}, "feedforward must be a whole number of 1 or more, got 'wide'"),
        ({"marks": ()}, "marks must be one or two numbers below 40"),
        ({"marks": (1, 2, 3)}, "marks must be one or two numbers below 40"),
        ({"marks": (99999999,)}, "marks must be one or two numbers below 40"),
        ({"positions": 5}, "positions must be a whole number of 6 or more, got 5"),
        ({"mix_layer": -1}, r"mix_layer must lie between 0 and layers \(3\), got -1"),
        ({"mix_layer": 4}, r"mix_layer must lie between 0 and layers \(3\), got 4"),
        ({"epsilon": "x"}, "epsilon must be a number above 0 and finite, got 'x'"),
        ({"epsilon": float("nan")}, "epsilon must be a number above 0 and finite, got nan"),
        ({"encoder": 7}, "encoder must name a folder, got 7"),
    ],
)
def test_a_description_of_no_transformer_is_refused_in_a_sentence(changes, said):
    with pytest.raises(ValueError, match=said):
        from_json({**to_json(SMALL), **changes})
