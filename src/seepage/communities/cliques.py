"""A graph that is a union of cliques."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.sparse import csr_array

from seepage.shapes import Floats, Integers32, Labels, Rows

Weights = Floats


@dataclass(frozen=True, eq=False)
class Cliques:
    r"""Rows, and the cliques that each of them belongs to; no edge is ever written down.

    Two rows are joined by the weights of the cliques that they share,

    .. math:: A_{ij} = \sum_l w_l \, [i \in l] \, [j \in l], \qquad i \ne j,

    so that degrees and modularity follow from sizes alone: a clique of
    :math:`N_l` rows adds :math:`w_l (N_l - 1)` to the degree of each, and
    :math:`2m = \sum_l w_l N_l (N_l - 1)`.

    Parameters
    ----------
    starts, members
        The cliques of row *i* are ``members[starts[i]:starts[i + 1]]``.
    weights
        One weight for each clique, above 0.

    Examples
    --------
    Four rows, two trees: the first puts rows 0 to 2 together, the second rows 2 and 3.

    >>> graph = Cliques.of_leaves([np.array([0, 0, 0, 1]), np.array([-1, -1, 5, 5])], [1.0, 0.5])
    >>> graph.degrees
    array([2. , 2. , 2.5, 0.5])
    >>> round(graph.modularity(np.array([0, 0, 1, 1])), 4)
    -0.0816
    """

    starts: Rows
    members: Integers32
    weights: Weights

    @property
    def rows(self) -> int:
        """How many rows there are, those in no clique included."""
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Rows:
        """How many rows each clique holds."""
        return np.bincount(self.members, minlength=len(self.weights))

    @cached_property
    def degrees(self) -> Weights:
        """What the edges of each row weigh together."""
        return np.asarray(self._belonging @ (self.weights * (self.sizes - 1)))

    @cached_property
    def total(self) -> float:
        """Twice the weight of all edges, 2m."""
        return float(np.sum(self.weights * self.sizes * (self.sizes - 1)))

    def modularity(self, labels: Labels) -> float:
        r"""Return :math:`Q = \sum_c in_c / 2m - (tot_c / 2m)^2`; 0 for a graph without edges.

        Here :math:`in_c = \sum_l w_l n_{cl} (n_{cl} - 1)` counts the rows that
        community *c* has in clique *l*. This is Eq. 2 of the ID2Graph paper with
        the usual factor: where the sum of all :math:`A_{vv'}`, which is 2m, is
        meant, it prints twice that sum.
        """
        if self.total == 0.0:
            return 0.0
        _, community = np.unique(labels, return_inverse=True)
        width = int(community.max()) + 1
        groups = csr_array((np.ones(self.rows), (community, np.arange(self.rows))), shape=(width, self.rows))
        counts = (groups @ self._belonging).tocoo()
        within = np.sum(self.weights[counts.col] * counts.data * (counts.data - 1))
        totals = np.bincount(community, weights=self.degrees, minlength=width) / self.total
        return float(within / self.total - np.sum(totals**2))

    @cached_property
    def _belonging(self) -> Any:
        shape = (self.rows, len(self.weights))
        return csr_array((np.ones(len(self.members)), self.members, self.starts), shape=shape)

    @classmethod
    def of_leaves(cls, leaves: Sequence[Labels], weights: Sequence[float]) -> "Cliques":
        """Make every leaf of every tree a clique.

        Parameters
        ----------
        leaves
            For each tree the leaf number of every row, −1 for a row in none.
        weights
            One weight for each tree.
        """
        if len(leaves) != len(weights):
            raise ValueError(f"each tree needs one weight, got {len(leaves)} trees and {len(weights)} weights")
        trees = []
        for leaf in leaves:
            rows = np.flatnonzero(leaf >= 0)
            trees.append((rows, leaf[rows]))
        return cls.of_groups(len(leaves[0]) if leaves else 0, trees, weights)

    @classmethod
    def of_groups(cls, rows: int, groups: Sequence[tuple[Rows, Labels]], weights: Sequence[float]) -> "Cliques":
        """Join rows that bear the same number in the same list of (rows, numbers).

        Groups of one row have no edge and are left out, as is what weighs nothing.
        """
        if any(not 0 <= weight < np.inf for weight in weights):
            raise ValueError(f"weights must be finite and 0 or more, got {list(weights)}")
        owners, members, heavy, known = [], [], [], 0
        for (owner, number), weight in sorted(zip(groups, weights, strict=True), key=lambda pair: -pair[1]):
            if weight == 0 or len(owner) == 0:
                continue
            _, place, count = np.unique(number, return_inverse=True, return_counts=True)
            renamed = np.where(count > 1, np.cumsum(count > 1) - 1, -1)
            clique = renamed[place]
            owners.append(owner[clique >= 0])
            members.append((clique[clique >= 0] + known).astype(np.int32))
            heavy.append(np.full(int((count > 1).sum()), float(weight)))
            known += len(heavy[-1])
        none = np.zeros(0, dtype=np.int64)
        owner, clique = np.concatenate([none, *owners]), np.concatenate([none.astype(np.int32), *members])
        starts = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=rows)))).astype(np.int64)
        order = np.argsort(owner, kind="stable")  # heaviest first within each row
        return cls(starts, clique[order], np.concatenate([np.zeros(0), *heavy]))


def chunked(leaves: Sequence[Labels], weights: Sequence[float], chunk: int, link: float, rng: Generator) -> Cliques:
    """Cut every leaf of `chunk` rows or more into chunks, and link each chunk to the next by one edge.

    This is Algorithm 3 of the ID2Graph paper, with two corrections. As printed,
    line 19 joins the first row of a chunk with itself, so that chunks are not
    linked at all; here the last row of a chunk is linked with the first of the
    next. And rows are shuffled, tree by tree: cut by row number, the same rows
    would meet in the chunks of every tree, and communities would follow the
    numbering of the rows.

    Parameters
    ----------
    leaves, weights
        As for `Cliques.of_leaves`.
    chunk
        The most rows that stay together, 2 or more.
    link
        The weight of an edge between chunks.

    Examples
    --------
    One leaf of five rows in chunks of two: two pairs, a row left over, and two links.

    >>> graph = chunked([np.zeros(5, dtype=np.int64)], [1.0], 2, 100.0, np.random.default_rng(0))
    >>> graph.sizes, graph.weights
    (array([2, 2, 2, 2]), array([100., 100.,   1.,   1.]))
    """
    if chunk < 2:
        raise ValueError(f"chunk must be 2 or more, got {chunk}")
    groups: list[tuple[Rows, Labels]] = []
    links: list[tuple[Rows, Labels]] = []
    for leaf in leaves:
        rows = rng.permutation(np.flatnonzero(leaf >= 0))
        rows = rows[np.argsort(leaf[rows], kind="stable")]
        _, first, place, count = np.unique(leaf[rows], return_index=True, return_inverse=True, return_counts=True)
        step = np.arange(len(rows)) - first[place]  # the row's place within its leaf
        begins = (step == 0) | ((step % chunk == 0) & (count[place] >= chunk))
        groups.append((rows, np.cumsum(begins)))
        linked = np.flatnonzero(begins & (step > 0))  # line 18: every chunk of a leaf but the first
        ends = np.concatenate((rows[linked - 1], rows[linked]))
        links.append((ends, np.tile(np.arange(len(linked)), 2)))
    rows_known = len(leaves[0]) if leaves else 0
    return Cliques.of_groups(rows_known, [*groups, *links], [*weights, *[link] * len(links)])
