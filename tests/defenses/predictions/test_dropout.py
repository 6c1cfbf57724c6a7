"""Hidden units sit out in training, and only there."""

import numpy as np
import pytest
import torch

import seepage
import trained_runs
from samples import small_data
from seepage.defenses.predictions.dropout import Dropout, NothingToDrop, dropping
from seepage.federations import FEDERATIONS
from seepage.layouts import ImageShape
from seepage.messages import Kind
from seepage.networks.architectures import Dense, ResNet
from seepage.networks.heads import TopModel
from seepage.networks.joint_network import unpack_parts
from seepage.randomness import stream
from trained_runs import guarded

NETWORKS = {
    "bottom": (Dense(5, (40, 30), 8, relu_output=True), torch.ones(4, 5)),
    "pictures": (ResNet(ImageShape(1, 4, 4), (4, 8), 1, 3), torch.ones(4, 16)),
    "top": (TopModel(5, (40,), 3), [torch.ones(4, 2), torch.ones(4, 3)]),
}


def trained(federation="split-network", rate=0.5, seed=0):
    data = small_data("wine")
    run = trained_runs.trained(FEDERATIONS[federation](epochs=3), data, hooks=guarded(Dropout(rate=rate), data, seed))
    run.release_model()
    return data, run


@pytest.mark.parametrize("name", list(NETWORKS))
def test_predicting_is_as_without_it_and_parameters_keep_their_names(name):
    architecture, rows = NETWORKS[name]
    plain, defended = architecture.build(), architecture.build()
    defended.load_state_dict(plain.state_dict())
    dropping(defended, 0.5, seed=0, party="shop")
    assert list(defended.state_dict()) == list(plain.state_dict())
    assert torch.equal(defended.eval()(rows), plain.eval()(rows))
    assert not torch.equal(defended.train()(rows), plain.train()(rows))


@pytest.mark.parametrize("rate", [0.0, 0.2, 0.5, 0.9])
def test_the_share_that_sits_out_is_the_rate_and_the_mean_is_kept(rate):
    network = dropping(torch.nn.Sequential(torch.nn.ReLU()), rate, seed=0, party="shop")
    found = network(torch.ones(200, 500))
    assert torch.allclose(found[found > 0], torch.tensor(1 / (1 - rate)))
    four_sigma = 4 * np.sqrt(rate * (1 - rate) / found.numel())
    assert abs(float((found == 0).double().mean()) - rate) <= four_sigma
    assert abs(float(found.double().mean()) - 1) <= four_sigma / (1 - rate) + 1e-6


def test_every_hidden_layer_drops_the_cut_layer_too_and_gradients_stop_at_dropped_units():
    network = dropping(Dense(3, (50,), 20, relu_output=True).build(), 0.5, seed=1, party="shop")
    hidden = []
    network[1].register_forward_hook(lambda module, inputs, output: hidden.append(output))
    embedding = network(torch.rand(30, 3) + 1)
    before = torch.relu(network[2](hidden[0]))
    positive = before > 0
    dropped = positive & (embedding == 0)
    assert 0.3 < float(dropped.sum() / positive.sum()) < 0.7
    assert torch.allclose(embedding[positive & ~dropped], 2 * before[positive & ~dropped])
    (gradient,) = torch.autograd.grad(embedding.sum(), hidden[0], retain_graph=True)
    weights = network[2].weight
    expected = ((embedding > 0).float() * 2) @ weights
    assert torch.allclose(gradient, expected, atol=1e-5)


@pytest.mark.parametrize("federation", ["split-network", "summed-network"])
def test_the_same_seed_gives_the_same_run_and_another_seed_another(federation):
    (data, one), (_, two), (_, three) = trained(federation), trained(federation), trained(federation, seed=1)
    assert np.array_equal(one.predict(data.test), two.predict(data.test))
    assert not np.array_equal(one.predict(data.test), three.predict(data.test))


def test_the_two_networks_of_one_party_do_not_drop_the_same_units():
    data = small_data("wine")

    def dropped():
        hook = Dropout(rate=0.5).start(data.parts["active"], stream(0, "defense", "active"))
        networks = [hook.model(torch.nn.Sequential(torch.nn.ReLU())) for _ in range(2)]
        return [network(torch.ones(20, 50)) == 0 for network in networks]

    one, two = dropped()
    assert 0.4 < float((one == two).double().mean()) < 0.6
    assert all(torch.equal(first, again) for first, again in zip((one, two), dropped(), strict=True))


def test_a_rate_of_zero_is_the_undefended_run():
    data, defended = trained(rate=0.0)
    plain = trained_runs.trained(FEDERATIONS["split-network"](epochs=3), data)
    assert np.array_equal(defended.predict(data.test), plain.predict(data.test))


@pytest.mark.parametrize("federation", ["split-network", "summed-network"])
def test_the_released_model_predicts_what_the_federation_predicts(federation):
    data, run = trained(federation)
    parts = {message.sender: message.payload for message in run.transcript.messages if message.kind is Kind.MODEL}
    terms = run.transcript.agreement
    joint = unpack_parts([parts[party] for party in data.parties], terms.classes if terms.top_model else terms.outputs)
    columns = np.concatenate([data.parts[party].features[data.test] for party in data.parties], axis=1)
    assert np.allclose(joint(torch.from_numpy(columns)).numpy(), run.predict(data.test), atol=1e-6)


def test_a_network_without_hidden_units_is_remarked():
    with pytest.warns(NothingToDrop, match="network of 'shop' has no hidden units"):
        dropping(Dense(3, (), 2).build(), 0.5, seed=0, party="shop")


@pytest.mark.parametrize(
    ("federation", "words"), [("logistic-regression", "has no hidden units"), ("forest", "trains none")]
)
def test_where_there_are_no_hidden_units_it_does_not_apply(federation, words):
    attack = "gradient-sign" if federation == "logistic-regression" else "id2graph"
    tried = {"federations": federation, "attacks": attack, "defenses": "dropout", "seeds": 1, "undefended": False}
    (finding,) = seepage.audit("iris", **tried)
    assert finding.status == "not applicable"
    assert finding.reason.startswith(f"dropout changes the parties' networks, but {federation} {words}.")
