"""Networks under it learn embeddings whose distances say less, each at the party that the asset belongs to."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import trained_runs
from samples import small_data
from seepage.attacks.steps.directions.distance_pulls import read_off
from seepage.attacks.steps.directions.second_opinion import Reading
from seepage.defenses.embeddings.distance_correlation import DistanceCorrelation
from seepage.errors import BadSetting
from seepage.federations import FEDERATIONS
from seepage.federations.bottom import Bottom
from seepage.hooks import no_loss
from seepage.layouts import TextShape
from seepage.mechanisms.distance_correlation import distance_correlation
from seepage.messages import OUTSIDE_TRAINING, Kind
from seepage.networks.architectures import Dense
from seepage.randomness import stream
from seepage.transcript import Epochs
from seepage.views import ThreatModel, grant, observe
from trained_runs import guarded

DATA = small_data("breast_cancer")


def trained(defense, federation="split-network", epochs=6):
    hooks = guarded(defense, DATA) if defense is not None else None
    run = trained_runs.trained(FEDERATIONS[federation](epochs=epochs), DATA, hooks=hooks)
    run.release(DATA.test)
    return run


def said(run, kind=Kind.EMBEDDING, epoch=OUTSIDE_TRAINING):
    told = [m for m in run.transcript.messages if m.kind is kind and m.payload and m.epoch == epoch]
    return np.concatenate([m.rows for m in told]), np.concatenate([m.payload[kind.value] for m in told])


def left(run, secret):
    rows, embeddings = said(run)
    return distance_correlation(torch.from_numpy(secret[rows]).float(), torch.from_numpy(embeddings)).item()


@pytest.mark.parametrize("federation", ["split-network", "summed-network"])
def test_embeddings_of_new_rows_go_less_with_columns_than_without_it(federation):
    columns = DATA.parts["passive"].features
    plain = left(trained(None, federation), columns)
    mild, strong = (left(trained(DistanceCorrelation(alpha=a), federation), columns) for a in (0.3, 30.0))
    assert max(mild, strong) < plain - 0.2


def test_against_labels_embeddings_of_training_rows_go_less_with_labels():
    labels = np.eye(2)[DATA.labels]
    plain, defended = (left(trained(one), labels) for one in (None, DistanceCorrelation(alpha=30.0, against="labels")))
    assert defended < plain - 0.2


def test_each_acts_at_the_party_that_the_asset_belongs_to():
    def hook(against, party):
        return DistanceCorrelation(against=against).start(DATA.parts[party], np.random.default_rng(0))

    assert hook("features", "active").loss is no_loss and hook("features", "passive").loss is not no_loss
    assert hook("labels", "passive").received_loss is no_loss and hook("labels", "active").received_loss is not no_loss
    assert hook("features", "active").received_loss is no_loss and hook("labels", "active").loss is no_loss


def test_the_gradient_that_goes_back_is_that_of_the_loss_and_of_the_labels():
    """In the first batch both runs have the same weights: what is sent differs by what is added, and by that alone."""
    alpha = 3.0
    plain, defended = (trained(one, epochs=1) for one in (None, DistanceCorrelation(alpha=alpha, against="labels")))

    def first(run, kind):
        return next(m for m in run.transcript.messages if m.kind is kind and m.payload and m.step == 0)

    embedding = first(plain, Kind.EMBEDDING)
    z = torch.from_numpy(embedding.payload["embedding"]).requires_grad_()
    y = torch.nn.functional.one_hot(torch.from_numpy(DATA.labels[embedding.rows])).float()
    (alpha * distance_correlation(y, z)).backward()
    sent = [first(run, Kind.GRADIENT).payload["gradient"] for run in (plain, defended)]
    np.testing.assert_allclose(sent[1] - sent[0], z.grad.numpy(), atol=1e-6)


def test_a_bottom_model_steps_down_what_was_sent_back_and_what_is_added():
    layer = torch.nn.Linear(2, 1, bias=False)
    bottom = Bottom(
        "shop", ("a", "b"), torch.eye(2), Dense(2, (), 1), layer, torch.optim.SGD(layer.parameters(), lr=1.0),
        extra_loss=lambda embedding, rows: 2 * embedding.sum(),
        defense_loss=lambda embedding, columns, rows: (embedding * columns[:, :1]).sum() * 5,
    )  # fmt: skip
    rows, before = np.arange(2), layer.weight.detach().clone()
    bottom.learn(bottom.forward(rows), torch.tensor([[10.0], [20.0]]), rows, epoch=0)
    assert torch.allclose(before - layer.weight, torch.tensor([[10.0 + 2 + 5, 20.0 + 2]]))


def test_without_weight_nothing_changes():
    plain, defended = (said(trained(one), epoch=5)[1] for one in (None, DistanceCorrelation(alpha=0.0)))
    assert np.array_equal(plain, defended)


def test_words_have_no_distances():
    part = replace(DATA.parts["passive"], layout=TextShape(15, 100))
    with pytest.raises(BadSetting, match="are words, whose numbers have no distances"):
        DistanceCorrelation().start(part, np.random.default_rng(0))


def test_it_does_not_apply_where_steps_fit_one_loss():
    import seepage

    tried = {"attacks": "gradient-sign", "defenses": "distance-correlation", "seeds": 1, "undefended": False}
    (finding,) = seepage.audit("iris", federations="logistic-regression", **tried)
    assert finding.status == "not applicable"
    assert finding.reason.startswith("distance-correlation adds a loss at a party's own bottom model, but logistic-")


@pytest.mark.parametrize("seed", [0, 1])
def test_labels_are_read_off_the_gradient_that_hides_them(seed):
    """Even for who begins with coins in the place of what directions say."""
    run = trained(DistanceCorrelation(alpha=10.0, against="labels"), epochs=10)
    threat = ThreatModel(adversaries=("passive",), labels_per_class=4)
    view = observe(run.transcript, grant(DATA, threat, stream(seed, "knowledge")))
    rows, rng, labels = DATA.train, np.random.default_rng(seed), DATA.labels[DATA.train]
    known = np.searchsorted(rows, view.knowledge.known_rows)
    coins = np.eye(2)[rng.integers(0, 2, len(rows))]
    reading = Reading(coins, np.ones(len(rows), bool), known, labels[known])
    told = read_off(view, Epochs.all(), rows, reading, 4, rng)
    rest = np.setdiff1d(np.arange(len(rows)), known)
    assert np.mean(told.argmax(axis=1)[rest] == labels[rest]) > 0.95
