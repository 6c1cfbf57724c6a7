"""The federation learns codes, predictions are of classes, and rows of a class still go together."""

import numpy as np
import pytest
import torch

import trained_runs
from samples import small_data
from seepage.attacks.labels.gradient_direction import GradientDirection
from seepage.defenses.labels.confusional_autoencoder import ConfusionalAutoencoder
from seepage.federations import FEDERATIONS
from seepage.hooks import unchanged
from seepage.messages import Kind
from seepage.networks.losses import CrossEntropy
from seepage.randomness import stream
from seepage.scores import utility
from trained_runs import guarded, seen


def trained(data, federation="split-network", weight=1.0, epochs=8, **settings):
    hooks = guarded(ConfusionalAutoencoder(weight=weight), data)
    return trained_runs.trained(FEDERATIONS[federation](epochs=epochs, **settings), data, hooks=hooks)


@pytest.mark.parametrize(
    ("federation", "settings"),
    [("split-network", {}), ("summed-network", {"single_logit": True}), ("split-network", {"class_weights": True})],
)
def test_what_is_released_is_of_classes_and_what_was_learned_is_not(federation, settings):
    data = small_data("breast_cancer")
    run = trained(data, federation, **settings)
    codes = run.active.targets
    assert codes.shape == (len(data.labels), 2) and len(torch.unique(codes, dim=0)) == 2
    learned, released = run.predict(data.test), run.release(data.test)
    assert utility(data.labels[data.test], released)[1] > 0.97
    assert np.ptp(learned[:, 1]) < 0.7 < np.ptp(released[:, 1])
    shown = [m.payload["confidence"] for m in run.transcript.messages if m.kind is Kind.PREDICTION and m.payload]
    assert all(np.array_equal(one, released) for one in shown)


def test_four_known_labels_a_class_still_read_all_of_them():
    data = small_data("breast_cancer")
    run = trained(data)
    view = seen(run, data, "passive", labels_per_class=4)
    guess = GradientDirection().run(view.narrowed(GradientDirection().needs), stream(0, "attack"))
    assert np.mean(data.labels[guess.rows] == guess.scores.argmax(axis=1)) > 0.98


def test_others_have_nothing_to_do():
    data = small_data("iris")
    hook = ConfusionalAutoencoder().start(data.parts["passive"], np.random.default_rng(0))
    assert hook.targets is unchanged and hook.release is unchanged


@pytest.mark.parametrize("weights", [None, torch.tensor([1.0, 3.0])])
@pytest.mark.parametrize("outputs", [1, 2])
def test_targets_that_are_certain_are_labels(outputs, weights):
    logits, labels = torch.randn(6, outputs), torch.tensor([0, 1, 1, 0, 1, 0])
    loss = CrossEntropy(outputs, weights)
    sure = torch.nn.functional.one_hot(labels).float()
    assert torch.allclose(loss(logits, sure), loss(logits, labels))
    assert torch.allclose(loss.of_rows(logits, sure, weights), loss.of_rows(logits, labels, weights))


def test_the_loss_of_a_target_is_the_mean_of_those_of_labels_by_their_share():
    logits, share = torch.randn(4, 3), torch.tensor([0.2, 0.5, 0.3])
    loss = CrossEntropy(3)
    each = torch.stack([loss.of_rows(logits, torch.full((4,), label)) for label in range(3)])
    assert torch.allclose(loss.of_rows(logits, share.repeat(4, 1)), share @ each)
