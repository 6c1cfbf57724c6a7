"""Gradients as they come back behind a top model, made by hand, and what an adversary sees of them."""

from dataclasses import replace

import numpy as np

from hand_made import agreed, own_part
from seepage.messages import Kind, Message
from seepage.transcript import Transcript
from seepage.views import Knowledge, ThreatModel, observe


def pulled(labels, rng, *, epochs=6, width=5, classes=None, noise=0.0):
    """Gradients Jᵀ(p − y) behind a linear top model that changes from epoch to epoch and still knows little."""
    classes = classes or int(labels.max()) + 1
    made = []
    for _ in range(epochs):
        shares = rng.dirichlet(np.full(classes, 20.0), size=len(labels))
        top = rng.normal(size=(classes, width))
        made.append((shares - np.eye(classes)[labels]) @ top + noise * rng.normal(size=(len(labels), width)))
    return np.stack(made, axis=1)  # rows by epochs by numbers


def view_of(gradients, labels, known, *, classes=None, columns=None, train=None, to=("shop",)):
    """What an adversary sees that was sent these gradients, batch by batch, and knows some labels."""
    rows = np.arange(len(gradients)) if train is None else train
    messages = tuple(
        Message(Kind.GRADIENT, "bank", party, epoch, epoch, batch, {"gradient": gradients[batch, epoch] / len(batch)})
        for epoch in range(gradients.shape[1])
        for batch in np.array_split(np.arange(len(gradients)), 3)
        for party in to
    )
    classes = classes or int(labels.max()) + 1
    terms = agreed("split-network", ("bank", *to), classes=classes, outputs=gradients.shape[2])
    own = {} if columns is None else {"shop": own_part("shop", columns)}
    told = {"known_rows": np.asarray(known), "known_labels": labels[known]}
    knowledge = Knowledge(threat=ThreatModel(adversaries=to), own=own, train=rows, **told)
    return replace(observe(Transcript(terms, messages), knowledge), epochs=gradients.shape[1])


def some_of_each(labels, count):
    return np.concatenate([np.flatnonzero(labels == name)[:count] for name in np.unique(labels)])
