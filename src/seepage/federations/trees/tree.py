"""A tree as its active party holds it: who splits each node, and what each leaf says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from seepage.shapes import Integers, Matrix, Rows
from seepage.trees.heap import above

Graft = Callable[[Rows], Matrix]


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes bear heap numbers: the root is 1, the children of *n* are 2n and 2n + 1.

    Parameters
    ----------
    number
        The tree within its round.
    owners
        Who splits each inner node; thresholds lie with the owner.
    values
        What each leaf predicts.
    rows
        The positions among the training rows of every node.
    shown
        The nodes that passive parties were shown or split off themselves.
    grafts
        Local models that replace all that lies below a node.
    """

    round: int
    number: int
    owners: Mapping[int, str]
    values: Mapping[int, Matrix]
    rows: Mapping[int, Rows]
    shown: frozenset[int]
    grafts: Mapping[int, Graft] = field(default_factory=dict)

    @property
    def leaves(self) -> frozenset[int]:
        """The heap numbers of the leaves."""
        return frozenset(self.values)

    def predictions(self, leaves: Integers, rows: Rows) -> Matrix:
        """Return what the tree says about rows whose leaf is known."""
        if len(rows) == 0:
            return np.zeros((0, len(next(iter(self.values.values())))))
        numbers, place = np.unique(leaves, return_inverse=True)
        said: Matrix = np.stack([self.values[int(number)] for number in numbers])[place]
        for node, graft in self.grafts.items():
            below = np.array([node in (number, *above(int(number))) for number in numbers])[place]
            if below.any():
                said[below] = graft(rows[below])
        return said
