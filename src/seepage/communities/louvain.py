"""Louvain's communities on a union of cliques."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.communities.cliques import Cliques, Weights
from seepage.communities.moving import fill, move_each, same_cliques, turned
from seepage.shapes import Array, Labels, Rows

TOLERANCE: Final = 1e-6
"""A pass, or a climb, that gains less modularity is the last."""

PASSES: Final = 100
LEVELS: Final = 100
"""The most levels of a climb, and the most climbs."""
WORK: Final = 400_000_000
"""How many (node, community) pairs the first pass may look at before it starts from larger communities."""
RESTARTS: Final = 10
"""How many random orders a small graph is tried with."""


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


@dataclass(frozen=True, eq=False)
class Communities:
    """Which community each row belongs to, and the modularity of the whole."""

    labels: Labels
    modularity: float


def louvain(graph: Cliques, rng: Generator) -> Communities:
    r"""Find communities of high modularity by Louvain's method, without writing down an edge.

    Nodes move, in random order, to the community where

    .. math:: \sum_l w_l \, n_{il} \, n_{cl} - k_i \, tot_c / 2m

    is largest, until a pass gains less than 1e-6; communities then become the
    nodes of the next level. How many rows of community *c* lie in clique *l* is
    all that has to be kept, and stays so from level to level.

    Parameters
    ----------
    graph
        The cliques.
    rng
        Orders the nodes; the same generator gives the same communities.

    Examples
    --------
    >>> graph = Cliques.of_leaves([np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 0, 1, 1])], [1.0, 0.5])
    >>> louvain(graph, np.random.default_rng(0)).labels
    array([0, 0, 0, 1, 1, 1])

    Notes
    -----
    *Twins*, rows in exactly the same cliques, are merged first. That costs
    nothing: putting one of them where the other is gains, for the better of the
    two ways, at least :math:`A_{ij} - k_i^2 / 2m`, and with
    :math:`A_{ij} = \sum_l w_l` and :math:`k_i = \sum_l w_l (N_l - 1)` that is
    never negative (Cauchy and Schwarz:
    :math:`k_i^2 \le \sum_l w_l \cdot \sum_l w_l (N_l - 1)^2`).

    The first pass from single nodes looks at all pairs within cliques. Where
    these are more than `WORK`, nodes that share their heaviest *j* cliques start
    together, with *j* as large as the budget allows; they still move one by one.

    After the last level the nodes of the first move once more, and the climb is
    repeated as long as that gains anything, which Louvain's method leaves out.
    Graphs so small that it costs nothing are tried in several random orders.
    """
    if graph.total == 0.0:
        return Communities(np.arange(graph.rows, dtype=np.int64), 0.0)
    heaviest = float(graph.weights.max())
    weights = np.maximum(graph.weights / heaviest, 1e-200)
    total = graph.total / heaviest
    alike = same_cliques(graph.starts, graph.members, len(graph.weights))
    level = _bottom(graph, alike, heaviest)
    start, work = _start(graph, level)
    tries = int(min(RESTARTS, max(1.0, WORK / 20 / (work + graph.rows))))
    found = [_climbed(level, start, weights, total, rng) for _ in range(tries)]
    best = max(found, key=lambda result: result[1])
    _, names = np.unique(best[0], return_inverse=True)
    return Communities(names[alike].astype(np.int64), graph.modularity(names[alike]))


def _bottom(graph: Cliques, alike: Labels, heaviest: float) -> Level:
    _, first, size = np.unique(alike, return_index=True, return_counts=True)
    lengths = np.diff(graph.starts)[first]
    starts = np.concatenate(([0], np.cumsum(lengths)))
    places = np.repeat(graph.starts[first] - starts[:-1], lengths) + np.arange(starts[-1])
    return Level(starts, graph.members[places], np.repeat(size, lengths), graph.degrees[first] * size / heaviest)


def _start(graph: Cliques, level: Level) -> tuple[Labels, float]:
    """Return communities to start from, single nodes where that can be paid, and the work of the first pass."""
    cliques = len(graph.weights)
    alone = np.arange(level.nodes, dtype=np.int64)
    moves = Moves.begin(level, alone, cliques)
    labels = alone
    for longest in range(int(np.diff(level.starts).max(initial=1)) - 1, 0, -1):
        if moves.work <= WORK:
            break
        labels = same_cliques(level.starts, level.cliques, longest)
        moves = Moves.begin(level, labels, cliques)
    return labels, moves.work


def _climbed(level: Level, start: Labels, weights: Weights, total: float, rng: Generator) -> tuple[Labels, float]:
    """Climb from the bottom again and again while that gains modularity; return labels and what was gained."""
    labels, gained = start, 0.0
    for _ in range(LEVELS):
        climb, current, names = 0.0, level, labels
        placed = np.arange(level.nodes)
        for _ in range(LEVELS):
            moves = Moves.begin(current, names, len(weights))
            gain = moves.settle(weights, total, rng)
            climb += gain
            above, node = moves.aggregated()
            placed = node[placed]
            if above.nodes == current.nodes or (gain < TOLERANCE and current is not level):
                break
            current, names = above, np.arange(above.nodes)
        labels, gained = placed, gained + climb
        if climb < TOLERANCE:
            break
    return labels, gained
