"""What the nodes an adversary saw can tell about labels at most."""

from typing import Any

import numpy as np

from seepage.messages import Kind
from seepage.scores.bounds import mutual_information_bound
from seepage.shapes import Labels
from seepage.transcript import Agreement, Epochs, Recording
from seepage.views import View
from seepage.views.trees.instance_spaces import visible_nodes


def seen_nodes(agreement: Agreement) -> Recording:
    """Return what must be kept of a run so that bounds can be given for it, whatever the attack."""
    spaces = [kind for kind in (Kind.INSTANCE_SPACE, Kind.CHILD_SPACES) if kind in agreement.kinds]
    return Recording(dict.fromkeys(spaces, Epochs.all()))


def visible_bounds(view: View, truth: Labels) -> dict[str, Any]:
    """Return bounds on mutual information for a view with instance spaces, and nothing for any other.

    Every node counts that the adversary knows, also by subtraction. `per_node`
    holds the round, the number of rows and the bound of each; it names no row.
    """
    shown = any(
        message.kind is Kind.INSTANCE_SPACE and message.receiver in view.adversaries and len(message.rows)
        for message in view.messages
    )
    if not shown:
        return {}
    classes = view.agreement.classes
    training = np.zeros(len(truth), dtype=bool)
    training[view.knowledge.train] = True
    nodes = [(tree.round, rows[training[rows]]) for tree in visible_nodes(view) for rows in tree.sets]
    counts = np.stack([np.bincount(truth[rows], minlength=classes) for _, rows in nodes])
    overall = np.bincount(truth[view.knowledge.train], minlength=classes)
    found = mutual_information_bound(counts, overall)
    per_node = [[round_, len(rows), round(float(bound), 6)] for (round_, rows), bound in zip(nodes, found, strict=True)]
    summary = {"max": float(found.max()), "median": float(np.median(found)), "nodes": len(nodes)}
    return {"mutual_information": {**summary, "per_node": per_node}}
