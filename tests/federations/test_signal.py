"""The signal is the only road from labels to anything, so that an ε of it is one of all training."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from samples import small_data
from seepage.defenses import DEFENSES
from seepage.errors import BadSetting
from seepage.federations import FEDERATIONS
from seepage.hooks import Hook, Hooks, Signal
from seepage.networks.losses import CrossEntropy
from trained_runs import address, carried, guarded, released

NETWORKS = ["split-network", "summed-network", "logistic-regression"]
QUICK = {"epochs": 2}


def saying(rewrite):
    return Hooks({"active": Hook(signal=rewrite)})


def said_by(run):
    return [address(message) + carried(message) for message in run.transcript.messages]


@pytest.mark.parametrize("federation", NETWORKS)
@pytest.mark.parametrize("name", ["breast_cancer", "iris"])
def test_with_a_signal_that_knows_no_label_nothing_that_anybody_sees_depends_on_labels(federation, name):
    """Messages, models and predictions are all made of the signal: where it is the same, so are they, bit for bit."""

    def run(labels):
        data = small_data(name)
        data.parts["active"].labels[:] = labels(data.labels)
        rng = np.random.default_rng(5)
        noise = saying(lambda signal: Signal(pulls=rng.normal(size=signal.pulls.shape), rounds=signal.rounds))
        return said_by(released(FEDERATIONS[federation](**QUICK), data, hooks=noise))

    assert run(lambda labels: labels) == run(lambda labels: (labels + 1) % 2)


@pytest.mark.parametrize("federation", NETWORKS)
def test_a_signal_that_is_left_alone_trains_the_same_model(federation):
    data, made = small_data("iris"), FEDERATIONS[federation](**QUICK)
    clear, passed = (
        released(made, data, hooks=hooks).transcript.messages
        for hooks in (Hooks(), saying(lambda signal: Signal(pulls=signal.pulls, rounds=signal.rounds)))
    )
    for one, other in zip(clear, passed, strict=True):
        assert address(one) == address(other)
        for key, array in one.payload.items():
            if array.dtype.kind == "f":
                assert np.allclose(array, other.payload[key], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("federation", NETWORKS)
def test_every_row_is_heard_once_an_epoch_and_epochs_are_told(federation):
    heard = []

    def listen(signal):
        heard.append((len(signal.pulls), signal.rounds))
        return Signal(pulls=signal.pulls, rounds=signal.rounds)

    data = small_data("iris")
    released(FEDERATIONS[federation](epochs=3), data, hooks=saying(listen))
    assert sum(rows for rows, _ in heard) == 3 * len(data.train) and {rounds for _, rounds in heard} == {3}


@pytest.mark.parametrize("outputs", [1, 2, 5])
def test_pulls_are_the_gradients_of_each_rows_own_loss(outputs):
    rng = torch.Generator().manual_seed(0)
    logits = torch.randn(7, outputs, generator=rng, dtype=torch.float64).requires_grad_()
    labels = torch.arange(7) % max(2, outputs)
    if outputs == 1:
        F.binary_cross_entropy_with_logits(logits[:, 0], labels.double(), reduction="sum").backward()
    else:
        F.cross_entropy(logits, labels, reduction="sum").backward()
    assert torch.allclose(CrossEntropy(outputs).pulls(logits.detach(), labels), logits.grad)


@pytest.mark.parametrize("federation", NETWORKS)
def test_class_weights_are_refused_since_they_carry_labels_past_it(federation):
    data = small_data("iris")
    with pytest.raises(BadSetting, match="class weights follow from how many rows each class has"):
        released(
            FEDERATIONS[federation](class_weights=True, **QUICK), data,
            hooks=guarded(DEFENSES["gradient-dp"](), data),
        )  # fmt: skip


def test_training_under_gradient_dp_goes_on_from_the_noise_and_not_from_the_labels():
    """At an ε of next to nothing noise is all there is: flipping every label changes next to nothing of it."""
    data, flipped = small_data("breast_cancer"), small_data("breast_cancer")
    flipped.parts["active"].labels[:] = 1 - flipped.labels
    tiny = DEFENSES["gradient-dp"](epsilon=1e-3)
    runs = [released("split-network", one, hooks=guarded(tiny, one)).transcript.messages for one in (data, flipped)]
    last = [[m for m in messages if m.kind == "prediction"][-1].payload["confidence"] for messages in runs]
    assert np.corrcoef(last[0][:, 1], last[1][:, 1])[0, 1] > 0.9
