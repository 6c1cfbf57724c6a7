"""Views of trees made by hand: one instance space for each tree, a node for every leaf."""

import numpy as np

from hand_made import agreed, own_part
from seepage.messages import TREE_KINDS, Kind, Message, ModelKind
from seepage.transcript import Transcript
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
    model = ModelKind.BOOSTING if federation == "boosting" else ModelKind.FOREST
    return agreed(federation, classes=classes, top_model=False, outputs=0, kinds=TREE_KINDS, model=model)


def knowledge(rows, columns=None):
    own = {} if columns is None else {"shop": own_part("shop", np.asarray(columns, dtype=np.float32))}
    return Knowledge(threat=ThreatModel(adversaries=("shop",)), own=own, train=np.arange(rows))
