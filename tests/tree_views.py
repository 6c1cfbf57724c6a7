"""Views of trees made by hand: one instance space for each tree, a node for every leaf."""

import numpy as np

from seepage.messages import TREE_KINDS, Kind, Message
from seepage.partition import OwnPart
from seepage.transcript import Agreement, Transcript
from seepage.views import Knowledge, ThreatModel, observe


def tree_view(*leaves, classes=2, columns=None, federation="forest", rounds=None):
    """Show a passive party, 'shop', the leaves of some trees; −1 is a row in no leaf."""
    messages = []
    for tree, leaf in enumerate(np.asarray(leaf) for leaf in leaves):
        rows = np.flatnonzero(leaf >= 0)
        nodes = 1024 + leaf[rows]  # all on one level, so that none lies below another
        payload = {"node": nodes, "tree": np.array([0])}
        epoch = rounds[tree] if rounds else tree
        messages.append(Message(Kind.INSTANCE_SPACE, "bank", "shop", epoch, 0, rows, payload))
    return observe(
        Transcript(terms(classes, federation), tuple(messages)), knowledge(len(leaves[0]) if leaves else 0, columns)
    )


def terms(classes, federation="forest"):
    return Agreement(
        federation=federation,
        parties=("bank", "shop"),
        active="bank",
        classes=classes,
        top_model=False,
        outputs=0,
        kinds=TREE_KINDS,
    )


def knowledge(rows, columns=None):
    own = {}
    if columns is not None:
        features = np.asarray(columns, dtype=np.float32)
        names = tuple(f"c{column}" for column in range(features.shape[1]))
        own["shop"] = OwnPart("shop", names, features, names, np.arange(features.shape[1]))
    return Knowledge(threat=ThreatModel(adversaries=("shop",)), own=own, train=np.arange(rows))
