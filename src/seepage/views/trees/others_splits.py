"""Which side of the others' splits each training row fell on."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.errors import IncompatibleView
from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.shapes import Sides
from seepage.views.view import View

MOST_SPLITS: Final = 256
"""How many splits are worth learning from: few rows come to the nodes of others, and memory stays bounded."""


@dataclass(frozen=True, eq=False)
class OthersSplits:
    """What the owners of splits answered: the rows of each child.

    Parameters
    ----------
    owners
        The party that made each split.
    rounds
        The round of each split.
    sides
        Training rows, in the order of ``knowledge.train``, by splits: 1 where a
        row went left, −1 where it went right, 0 where it never came to that node.
    """

    owners: tuple[str, ...]
    rounds: tuple[int, ...]
    sides: Sides

    @property
    def indicators(self) -> Sides:
        """Sides, and beside them whether a row came to each node at all."""
        return np.hstack((self.sides, (self.sides != 0).astype(np.int8)))

    def largest(self, count: int = MOST_SPLITS) -> "OthersSplits":
        """Return the splits of the largest nodes, so many at most, in their order."""
        if len(self.owners) <= count:
            return self
        sizes = np.count_nonzero(self.sides, axis=0)
        kept = np.sort(np.argsort(-sizes, kind="stable")[:count])
        return OthersSplits(
            tuple(self.owners[place] for place in kept),
            tuple(self.rounds[place] for place in kept),
            self.sides[:, kept],
        )


def others_splits(view: View) -> OthersSplits:
    """Return all splits of parties that are none of the adversaries, in the order in which they were made.

    There may be none, where no such party ever had the best split; a federation
    that splits nothing is refused.

    Examples
    --------
    The shop split a node that row 3 never came to:

    >>> from seepage.messages import TREE_KINDS
    >>> from seepage.transcript import Agreement
    >>> from seepage.views import Knowledge, ThreatModel
    >>> payload = {"node": np.array([2, 2, 2]), "left": np.array([True, False, True]), "tree": np.array([0])}
    >>> message = Message(Kind.CHILD_SPACES, "shop", "bank", 0, 0, np.array([0, 1, 2]), payload)
    >>> terms = Agreement(federation="forest", parties=("bank", "shop"), active="bank", classes=2,
    ...                   top_model=False, outputs=0, kinds=TREE_KINDS)
    >>> known = Knowledge(threat=ThreatModel(adversaries=("bank",)), train=np.arange(4))
    >>> others_splits(View(terms, known, (message,))).sides.T
    array([[ 1, -1,  1,  0]], dtype=int8)
    """
    if Kind.CHILD_SPACES not in view.agreement.kinds:
        raise IncompatibleView(
            f"Under {view.agreement.federation} no {Kind.CHILD_SPACES} messages cross between the parties.\n"
            "Choose a federation of trees (decision-tree, forest, boosting)."
        )
    order = np.argsort(view.knowledge.train)
    train = view.knowledge.train[order]
    owners, rounds, sides = [], [], [np.zeros((len(train), 0), dtype=np.int8)]
    for message in _answers(view):
        inside = np.isin(message.rows, train)
        places = order[np.searchsorted(train, message.rows[inside])]
        nodes, split = np.unique(np.asarray(message.payload["node"])[inside], return_inverse=True)
        found = np.zeros((len(train), len(nodes)), dtype=np.int8)
        found[places, split] = np.where(np.asarray(message.payload["left"], dtype=bool)[inside], 1, -1)
        sides.append(found)
        owners += [message.sender] * len(nodes)
        rounds += [message.epoch] * len(nodes)
    return OthersSplits(tuple(owners), tuple(rounds), np.hstack(sides))


def _answers(view: View) -> list[Message]:
    return [
        message
        for message in view.arrived(Kind.CHILD_SPACES)
        if message.sender not in view.adversaries and message.epoch != OUTSIDE_TRAINING
    ]
