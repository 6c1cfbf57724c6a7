"""What is sent is drawn anew around a mean, and a stronger bottleneck lets less through."""

import numpy as np
import pytest
import torch

import trained_runs
from samples import small_data
from seepage.defenses.embeddings.information_bottleneck import InformationBottleneck
from seepage.errors import BadSetting
from seepage.federations import FEDERATIONS
from seepage.messages import OUTSIDE_TRAINING, Kind
from seepage.networks.architectures import from_json
from seepage.networks.bottleneck import Bottleneck, divergence
from seepage.networks.joint_network import unpack_bottom, unpack_parts
from seepage.scores import utility
from seepage.views.own_bottoms import rebuilt
from trained_runs import guarded

DATA = small_data("breast_cancer")


def trained(federation="split-network", epochs=5, seed=0, **settings):
    hooks = guarded(InformationBottleneck(**settings), DATA, seed)
    run = trained_runs.trained(FEDERATIONS[federation](epochs=epochs), DATA, hooks=hooks, seed=seed)
    run.release_model()
    return run


def payloads(run, kind):
    return {m.sender: m.payload for m in run.transcript.messages if m.kind is kind and m.payload}


def let_through(run):
    """The nats of each row, as anybody computes them who has the released model."""
    columns, network = unpack_bottom(payloads(run, Kind.MODEL)["passive"])
    assert columns == list(DATA.parts["passive"].names) and isinstance(network, Bottleneck)
    with torch.no_grad():
        return divergence(*network.told(torch.from_numpy(DATA.parts["passive"].features[DATA.test]))).mean().item()


@pytest.mark.parametrize("federation", ["split-network", "summed-network"])
def test_less_gets_through_the_more_a_nat_costs(federation):
    nats = [let_through(trained(federation, epochs=10, weight=weight)) for weight in (0.0, 0.01, 1.0)]
    assert nats[0] > nats[1] > nats[2] and nats[2] < nats[0] / 2


def test_a_row_is_sent_anew_each_time_around_what_the_released_model_says():
    run = trained(weight=0.001)
    for _ in range(40):
        run.release(DATA.test)
    sent = [m.payload["embedding"] for m in run.transcript.messages
            if m.kind is Kind.EMBEDDING and m.payload and m.epoch == OUTSIDE_TRAINING]  # fmt: skip
    _, network = unpack_bottom(payloads(run, Kind.MODEL)["passive"])
    with torch.no_grad():
        mean, spread = network.told(torch.from_numpy(DATA.parts["passive"].features[DATA.test]))
    off = (np.mean(sent, axis=0) - mean.numpy()) / spread.numpy() * np.sqrt(len(sent))
    assert len(sent) == 40 and abs(off.mean()) < 0.1 and off.std() == pytest.approx(1.0, abs=0.1)


def test_a_snapshot_is_what_was_released():
    run = trained(weight=0.01)
    snapshot = next(one for one in run.passive["passive"].snapshots(4))
    _, network = unpack_bottom(payloads(run, Kind.MODEL)["passive"])
    rows = torch.from_numpy(DATA.parts["passive"].features[:20])
    assert from_json(snapshot.architecture).name == "narrowed"
    assert torch.equal(rebuilt(snapshot).eval()(rows), network(rows))


def test_against_labels_embeddings_are_sent_as_they_are_and_the_top_model_hears_noise():
    run = trained(weight=0.001, against="labels")
    parts = payloads(run, Kind.MODEL)
    joint = unpack_parts([parts[party] for party in DATA.parties], 2)
    assert joint.head.top[0].own == joint.head.top[0].others.mean.in_features == 16
    columns = np.concatenate([DATA.parts[party].features[DATA.test] for party in DATA.parties], axis=1)
    said = joint(torch.from_numpy(columns)).numpy()
    first, second = run.predict(DATA.test), run.predict(DATA.test)
    assert not np.array_equal(first, second)
    assert utility(DATA.labels[DATA.test], first)[1] > 0.95 and np.corrcoef(first[:, 1], said[:, 1])[0, 1] > 0.95


def test_both_still_learn():
    data = [
        utility(DATA.labels[DATA.test], trained(against=asset).predict(DATA.test))[1]
        for asset in ("features", "labels")
    ]
    assert min(data) > 0.95


def test_without_a_top_model_there_is_nowhere_to_stand_against_labels():
    with pytest.raises(BadSetting, match=r"stands before a top model, and there is none\. Choose split-network"):
        trained("summed-network", against="labels")
