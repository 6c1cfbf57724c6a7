"""One level of Louvain: nodes with counts per clique, and their moves between communities."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.communities.cliques import Weights
from seepage.communities.moving import fill, move_each, turned
from seepage.shapes import Array, Labels, Rows

TOLERANCE: Final = 1e-6
"""A pass, or a climb, that gains less modularity is the last."""

PASSES: Final = 100


@dataclass(frozen=True, eq=False)
class Level:
    """Nodes, and how many rows each has in which cliques."""

    starts: Rows
    cliques: Array
    counts: Array
    degrees: Weights

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.starts) - 1


@dataclass(frozen=True, eq=False)
class Moves:
    """Nodes in communities, with the lists that make moving cheap. Its arrays are written into."""

    level: Level
    labels: Array
    totals: Weights
    occupants: Array
    slots: Rows
    held: Array
    amounts: Array
    lengths: Array

    @classmethod
    def begin(cls, level: Level, labels: Labels, cliques: int) -> "Moves":
        """Put the nodes of a level into these communities; there are `cliques` cliques."""
        slots = np.concatenate(([0], np.cumsum(np.bincount(level.cliques, minlength=cliques))))
        held, amounts = np.empty(slots[-1], dtype=np.int32), np.empty(slots[-1], dtype=np.int64)
        lengths = np.zeros(cliques, dtype=np.int64)
        order = np.argsort(labels, kind="stable")
        fill(order, level.starts, level.cliques, level.counts, labels, slots, held, amounts, lengths)
        totals = np.bincount(labels, weights=level.degrees, minlength=level.nodes).astype(np.float64)
        occupants = np.bincount(labels, minlength=level.nodes)
        return cls(level, labels.copy(), totals, occupants, slots, held, amounts, lengths)

    @property
    def work(self) -> float:
        """How many (node, community) pairs one pass looks at."""
        return float(np.sum(np.diff(self.slots).astype(np.float64) * self.lengths))

    def settle(self, weights: Weights, total: float, rng: Generator) -> float:
        """Pass over the nodes until nothing more is gained; return what was."""
        gained = 0.0
        level = self.level
        for _ in range(PASSES):
            order = rng.permutation(level.nodes)
            gain = move_each(order, level.starts, level.cliques, level.counts, weights, level.degrees, total,
                             self.labels, self.totals, self.occupants, self.slots, self.held, self.amounts,
                             self.lengths)  # fmt: skip
            gained += gain
            if gain < TOLERANCE:
                break
        return gained

    def aggregated(self) -> tuple[Level, Labels]:
        """Return the graph of communities, and the new node of every old one."""
        used = self.occupants > 0
        names = np.cumsum(used) - 1
        nodes = int(used.sum())
        starts, cliques, counts = turned(names, nodes, self.slots, self.held, self.amounts, self.lengths)
        return Level(starts, cliques, counts, self.totals[used]), names[self.labels]
