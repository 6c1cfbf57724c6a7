"""The approximate graph of ID2Graph for large leaves (Algorithm 3)."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from seepage.communities.cliques import Cliques
from seepage.shapes import Labels, Rows


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
