"""First weights: as large as the width that reaches them asks for."""

import pytest
import torch

from seepage.data import Encoding, load_dataset, stratified_split
from seepage.federations.split_network import SplitNetwork
from seepage.federations.training_settings import TrainingSettings
from seepage.hooks import Hooks
from seepage.networks.first_weights import with_first_weights
from seepage.networks.optimizers import OptimizerSettings
from seepage.partition import Dealing, partition_table
from seepage.randomness import stream
from seepage.transcript import Epochs, Recording


@pytest.mark.parametrize(
    ("layer", "reaching"), [(torch.nn.Linear(400, 300), 400), (torch.nn.Conv2d(16, 400, 3), 16 * 9)]
)
def test_weights_have_the_variance_of_he_et_al(layer, reaching):
    bias = layer.bias.detach().clone()
    torch.manual_seed(0)
    weight = with_first_weights(layer, "he").weight.detach().numpy()
    assert weight.var() == pytest.approx(2 / reaching, rel=0.02)
    assert abs(weight.mean()) < 4 * (2 / reaching / weight.size) ** 0.5
    assert torch.equal(layer.bias, bias)


def test_pytorch_s_own_weights_stay():
    layer = torch.nn.Linear(4, 3)
    before = layer.weight.detach().clone()
    assert torch.equal(with_first_weights(layer, "pytorch").weight, before)


def test_relus_pass_on_the_variance_that_came_in():
    torch.manual_seed(0)
    layers = [torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU()) for _ in range(10)]
    rows = torch.randn(500, 256)
    deep = torch.nn.Sequential(*layers)
    default = float(deep(rows).detach().square().mean())
    he = float(with_first_weights(deep, "he")(rows).detach().square().mean())
    assert default < 0.05 < 0.3 < he < 3


def test_an_unknown_way_to_begin_is_refused():
    with pytest.raises(ValueError, match="first_weights must be one of pytorch, he, got 'zeros'"):
        TrainingSettings(first_weights="zeros")


@pytest.mark.parametrize("first_weights", ["pytorch", "he"])
def test_parties_and_label_holder_begin_as_the_federation_says(first_weights):
    table = load_dataset("digits")
    split = stratified_split(table, stream(0, "split"))
    data = partition_table(table, Dealing(kind="halves").deal(table, split.train, stream(0, "deal")), split, Encoding())
    still = OptimizerSettings(name="sgd", learning_rate=1e-30)
    federation = SplitNetwork(
        hidden=(300,), cut=100, top=(300,), epochs=1, batch=1000, optimizer=still, first_weights=first_weights
    )
    run = federation.train(data, hooks=Hooks(), record=Recording({}, Epochs.all()), rng=stream(0, "federation"))
    (bottom,) = [one for one in run.transcript.snapshots if one.party == data.passive[0]]
    drawn = {"he": 2 / 32, "pytorch": 1 / (3 * 32)}[first_weights]  # PyTorch: uniform up to 1/√n
    assert bottom.state["0.weight"].var() == pytest.approx(drawn, rel=0.05)
    head = run.active.head.state_dict()["top.0.weight"].numpy()
    assert head.var() == pytest.approx({"he": 2 / 200, "pytorch": 1 / (3 * 200)}[first_weights], rel=0.05)
