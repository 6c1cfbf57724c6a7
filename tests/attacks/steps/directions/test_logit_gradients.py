"""Gradients of logits: what the joint model said of training rows, and where that cannot be read."""

import numpy as np
import pytest

from hand_made import agreed
from seepage.attacks.steps.directions.direction_space import returned_gradients
from seepage.attacks.steps.directions.logit_gradients import are_of_logits, early_logits, named_by_pull
from seepage.messages import Kind, Message
from seepage.transcript import Transcript
from seepage.views import Epochs, Knowledge, ThreatModel, observe


def read(confidences, names, *, noise=0.0, top_model=False):
    """Let gradients of logits come back in batches, over two epochs; what is asked for is said in the first."""
    rng = np.random.default_rng(0)
    classes = confidences.shape[1]
    pull = confidences - np.eye(classes)[names] + noise * rng.normal(size=confidences.shape)
    messages = tuple(
        Message(
            Kind.GRADIENT, "bank", "shop", epoch, epoch, batch, {"gradient": pull[batch] / len(batch) / (1 + epoch)}
        )
        for epoch in range(2)
        for batch in np.array_split(np.arange(len(names)), 4)
    )
    terms = agreed("summed-network", ("bank", "shop"), classes=classes, outputs=classes, top_model=top_model)
    knowledge = Knowledge(threat=ThreatModel(adversaries=("shop",)), train=np.arange(len(names)))
    view = observe(Transcript(terms, messages), knowledge)
    return view, returned_gradients(view, Epochs.all(), 40)


@pytest.mark.parametrize("classes", [2, 4])
def test_a_row_whose_name_is_read_gives_away_what_all_columns_say_of_it(classes):
    rng = np.random.default_rng(1)
    confidences, names = rng.dirichlet(np.full(classes, 5.0), size=50), np.arange(50) % classes
    view, gradients = read(confidences, names)
    assert are_of_logits(view, gradients)
    shuffled = np.eye(classes)[names][:, rng.permutation(classes)]
    np.testing.assert_array_equal(named_by_pull(gradients, shuffled), np.eye(classes)[names])
    found = early_logits(view, gradients, Epochs.all(), np.eye(classes)[names])
    np.testing.assert_allclose(1 / (1 + np.exp(-found)), confidences, atol=1e-4)


def test_what_is_no_confidence_is_not_taken_for_one():
    rng = np.random.default_rng(2)
    confidences, names = rng.dirichlet(np.full(3, 5.0), size=50), np.arange(50) % 3
    view, gradients = read(confidences, names, noise=0.3)
    assert early_logits(view, gradients, Epochs.all(), np.eye(3)[names]).shape == (50, 0)


def test_behind_a_top_model_nothing_is_known_of_logits():
    confidences = np.full((8, 2), 0.5)
    assert not are_of_logits(*read(confidences, np.arange(8) % 2, top_model=True))
