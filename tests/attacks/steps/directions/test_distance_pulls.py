"""Labels that pull embeddings apart are read off what pulls; where nothing of the kind is sent, nothing is read."""

import numpy as np
import pytest
import torch

from hand_made import agreed
from pulled_gradients import some_of_each
from seepage.attacks.steps.directions.distance_pulls import Exchange, read_off, told
from seepage.attacks.steps.directions.second_opinion import Reading
from seepage.mechanisms.distance_correlation import distance_correlation
from seepage.messages import Kind, Message
from seepage.transcript import Epochs, Transcript
from seepage.views import Knowledge, ThreatModel, observe


def pulled(embedding, labels):
    """What the distance correlation with labels adds to a gradient, by differentiating it."""
    z = torch.from_numpy(embedding).requires_grad_()
    distance_correlation(torch.from_numpy(np.eye(labels.max() + 1)[labels]), z).backward()
    return z.grad.numpy()


def of_a_loss(embedding, labels, rng):
    """What a linear top model sends back that knows little yet."""
    classes = labels.max() + 1
    shares = rng.dirichlet(np.full(classes, 20.0), size=len(labels))
    return (shares - np.eye(classes)[labels]) @ rng.normal(size=(classes, embedding.shape[1])) / len(labels)


def exchanged(labels, rng, weight, noise=0.0, epochs=4, sent=True):
    """What comes back for embeddings that go with labels a little: what pulls them, and the gradient of a loss."""
    messages = []
    for epoch in range(epochs):
        for step, batch in enumerate(np.array_split(rng.permutation(len(labels)), 4)):
            z = rng.normal(size=(len(batch), 6)) + rng.normal(size=(labels.max() + 1, 6))[labels[batch]] / 2
            gradient = weight * pulled(z, labels[batch]) + of_a_loss(z, labels[batch], rng)
            gradient += noise * gradient.std() * rng.normal(size=z.shape)
            if sent:
                messages.append(Message(Kind.EMBEDDING, "shop", "bank", epoch, step, batch, {"embedding": z}))
            messages.append(Message(Kind.GRADIENT, "bank", "shop", epoch, step, batch, {"gradient": gradient}))
    terms = agreed("split-network", ("bank", "shop"), classes=int(labels.max()) + 1, outputs=6)
    knowledge = Knowledge(threat=ThreatModel(adversaries=("shop",)), train=np.arange(len(labels)))
    return observe(Transcript(terms, tuple(messages)), knowledge)


def read(view, labels, rng, right=0.6, mistakes=0):
    """Read off, from names that are right for some rows only."""
    classes, known = labels.max() + 1, some_of_each(labels, 4)
    names = np.where(rng.random(len(labels)) < right, labels, rng.integers(0, classes, len(labels)))
    reading = Reading(np.eye(classes)[names], np.ones(len(labels), bool), known, labels[known])
    return read_off(view, Epochs.all(), np.arange(len(labels)), reading, mistakes, rng)


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_names_explain_all_that_the_distance_correlation_with_labels_pulls(classes):
    rng = np.random.default_rng(classes)
    labels, z = rng.integers(0, classes, 40), rng.normal(size=(40, 5))
    found = told(Exchange(np.arange(40), z, pulled(z, labels)), np.eye(classes)[labels])
    assert found.explained == pytest.approx(1.0, abs=1e-8)
    assert (found.likelihoods.argmax(axis=1) == labels).all()


@pytest.mark.parametrize("classes", [2, 4])
def test_labels_are_read_beside_the_gradient_of_a_loss(classes):
    rng = np.random.default_rng(classes)
    labels = rng.integers(0, classes, 200)
    assert np.mean(read(exchanged(labels, rng, weight=10.0), labels, rng).argmax(axis=1) == labels) > 0.98


@pytest.mark.parametrize("classes", [2, 4])
def test_nothing_is_read_off_the_gradient_of_a_loss_alone(classes):
    rng = np.random.default_rng(classes)
    labels = rng.integers(0, classes, 200)
    view = exchanged(labels, rng, weight=0.0)
    assert read(view, labels, rng) is None and read(view, labels, rng, right=1.0) is None


def test_nothing_is_read_off_noise():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    assert read(exchanged(labels, rng, weight=10.0, noise=3.0), labels, rng) is None


def test_who_no_longer_has_what_it_sent_reads_nothing():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    assert read(exchanged(labels, rng, weight=10.0, sent=False), labels, rng) is None


def test_known_labels_that_contradict_silence_it():
    """Groups are pulled apart that are not the classes."""
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 2, 200)
    view, labels = exchanged(groups, rng, weight=10.0), rng.permutation(groups)
    assert read(view, labels, rng) is None
