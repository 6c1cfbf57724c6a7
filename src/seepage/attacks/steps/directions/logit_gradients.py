"""Gradients of the logits themselves: they say which group is which class, and what the joint model said of a row."""

from typing import Final

import numpy as np

from seepage.attacks.steps.directions.direction_space import ReturnedGradients
from seepage.shapes import Array, Matrix
from seepage.views import Epochs, Kind, View

EARLY: Final = 0.05
"""The share of epochs after which the joint model knows much of all rows, and little of one row's name by heart."""
SLACK: Final = 0.01
"""How far a confidence may lie beyond 0 and 1, by rounding."""
LEAST: Final = 1e-4
"""The least confidence that is told apart from none."""


def are_of_logits(view: View, gradients: ReturnedGradients) -> bool:
    """Whether one party was sent the gradients of the logits themselves, one for each class or a single one."""
    terms, width = view.agreement, gradients.values.shape[2]
    return (
        not terms.top_model
        and len(view.adversaries) == 1
        and width in ({1, 2} if terms.classes == 2 else {terms.classes})
    )


def named_by_pull(gradients: ReturnedGradients, groups: Matrix) -> Array:
    """Put groups in the order of the classes: each is pulled towards its own, and away from all others.

    >>> values = np.array([[[-0.2]], [[0.3]], [[0.1]]], dtype=np.float32)
    >>> read = ReturnedGradients(np.arange(3), values, np.ones((3, 1), bool))
    >>> named_by_pull(read, np.eye(2)[[0, 1, 1]]).argmax(axis=1)
    array([1, 0, 0])
    """
    from scipy.optimize import linear_sum_assignment

    sizes = np.maximum(groups.sum(axis=0), 1e-9)[:, None]
    pull = groups.T @ gradients.values.mean(axis=1, dtype=np.float64) / sizes
    if pull.shape[1] == 1:
        pull = np.hstack((-pull, pull))
    group, name = linear_sum_assignment(pull - pull.mean(axis=0))
    return np.asarray(groups[:, group[np.argsort(name)]])


def early_logits(view: View, gradients: ReturnedGradients, epochs: Epochs, names: Matrix) -> Array:
    r"""Return the logits of what the joint model said of training rows early on: rows by outputs, or by nothing.

    Without a top model :math:`g_i = (p_i - d_i) / |B|`, so that whoever has read the name :math:`d_i` has read
    :math:`p_i = |B| g_i + d_i` too: what all columns together say of the row, a prediction that nobody released. Late
    in training the model has learned the names by heart, and says them. Where some of these are no confidences,
    because something was done to gradients, nothing is returned.

    Parameters
    ----------
    epochs
        Those of which gradients are read.
    names
        The confidence in each name: rows by classes.

    Examples
    --------
    >>> from seepage.messages import Message
    >>> from seepage.transcript import Agreement, Transcript
    >>> from seepage.views import Knowledge, ThreatModel, observe
    >>> gradient = np.array([[-0.2], [0.1]])  # half of p - d
    >>> message = Message(Kind.GRADIENT, "bank", "shop", 0, 0, np.arange(2), {"gradient": gradient})
    >>> terms = Agreement(federation="logistic-regression", parties=("bank", "shop"), active="bank",
    ...                   classes=2, top_model=False, outputs=1)
    >>> view = observe(Transcript(terms, (message,)), Knowledge(threat=ThreatModel(adversaries=("shop",))))
    >>> read = ReturnedGradients(np.arange(2), gradient[:, None].astype("f4"), np.ones((2, 1), bool))
    >>> (1 / (1 + np.exp(-early_logits(view, read, Epochs.all(), np.eye(2)[[1, 0]])))).round(2).ravel()
    array([0.6, 0.2])
    """
    messages = view.received(Kind.GRADIENT, epochs)
    read = sorted({message.epoch for message in messages})
    epoch = read[int(EARLY * len(read))]
    width = gradients.values.shape[2]
    said = (names if width > 1 else names[:, 1:]).astype(np.float64)
    came = np.zeros(len(said), dtype=bool)
    for message in messages:
        if message.epoch == epoch:
            places = np.searchsorted(gradients.rows, message.rows)
            said[places] += len(places) * message.payload["gradient"]
            came[places] = True
    if not came.all() or said.min() < -SLACK or said.max() > 1 + SLACK:
        return np.zeros((len(said), 0))
    said = np.clip(said, LEAST, 1 - LEAST)
    return np.asarray(np.log(said / (1 - said)))
