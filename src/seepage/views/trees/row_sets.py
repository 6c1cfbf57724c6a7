"""Which training rows lie in which of the sets that an adversary knows."""

import numpy as np
from scipy.sparse import csr_array

from seepage.views.trees.instance_spaces import Visibility, visible_nodes
from seepage.views.view import View


def row_sets(view: View, visibility: Visibility = "subtraction") -> csr_array:
    """Return training rows by known sets, 1 where a row lies in a set.

    Rows are in the order of ``knowledge.train``. Left out are sets of one row,
    which join it to no other, and the set of all rows that were seen of a tree,
    which is all rows or a random sample of them.

    Examples
    --------
    >>> from seepage.messages import Kind, Message
    >>> from seepage.transcript import Agreement
    >>> from seepage.views import Knowledge, ThreatModel
    >>> def space(step, rows, nodes):
    ...     payload = {"node": np.array(nodes), "tree": np.array([0])}
    ...     return Message(Kind.INSTANCE_SPACE, "bank", "shop", 0, step, np.array(rows), payload)
    >>> terms = Agreement(federation="forest", parties=("bank", "shop"), active="bank",
    ...                   classes=2, top_model=False, outputs=0)
    >>> known = Knowledge(threat=ThreatModel(adversaries=("shop",)), train=np.arange(6))
    >>> view = View(terms, known, (space(0, [0, 1, 2, 3, 4], [1] * 5), space(1, [0, 1, 2], [2] * 3)))
    >>> row_sets(view).toarray().T
    array([[1., 1., 1., 0., 0., 0.], [0., 0., 0., 1., 1., 0.]])
    """
    train, none = view.knowledge.train, np.zeros(0, dtype=np.int64)
    trees = visible_nodes(view, visibility)
    most = max((int(rows[-1]) for tree in trees for rows in tree.sets), default=-1)
    place = np.full(max(most, int(train.max(initial=-1))) + 1, -1, dtype=np.int64)
    place[train] = np.arange(len(train))
    members = []
    for tree in trees:
        inside = [places[places >= 0] for places in (place[rows] for rows in tree.sets)]
        seen = len(np.unique(np.concatenate([none, *inside])))
        members += [rows for rows in inside if 1 < len(rows) < seen]
    sets = np.repeat(np.arange(len(members)), [len(rows) for rows in members])
    places = (np.concatenate([none, *members]), sets)
    return csr_array((np.ones(len(sets)), places), shape=(len(train), len(members)))
