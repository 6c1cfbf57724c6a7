"""Clusters of rows: by their columns, by groups they are known to belong to, or by both."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import Generator

from seepage.randomness import small_seed
from seepage.shapes import Labels, Matrix

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_DUMMIES: Final = 256
"""Of more groups than this, the largest get a column each and the others none."""

NOTHING: Final = 1e-7
"""What is smaller beside the largest is rounding."""


def without_gaps(features: Matrix) -> Matrix:
    """Put the mean of its column into every gap; an empty column becomes 0.

    >>> without_gaps(np.array([[2.0, np.nan], [np.nan, np.nan], [4.0, np.nan]]))
    array([[2., 0.], [3., 0.], [4., 0.]])
    """
    gaps = np.isnan(features)
    if not gaps.any():
        return features
    filled = np.where(gaps, 0.0, features)
    mean = filled.sum(axis=0) / np.maximum(1, np.count_nonzero(~gaps, axis=0))
    return np.asarray(np.where(gaps, mean, filled), dtype=features.dtype)


def min_max(features: Matrix) -> Matrix:
    """Bring every column to the range from 0 to 1; constant columns become 0, gaps the mean of their column.

    >>> min_max(np.array([[2.0, 5.0], [4.0, 5.0], [np.nan, 5.0]]))
    array([[0. , 0. ], [1. , 0. ], [0.5, 0. ]], dtype=float32)
    """
    filled = without_gaps(np.asarray(features, dtype=np.float64))
    if len(filled) == 0:
        return filled.astype(np.float32)
    low = filled.min(axis=0)
    width = filled.max(axis=0) - low
    return np.asarray((filled - low) / np.where(width > 0, width, 1.0), dtype=np.float32)


def dummies(groups: Labels) -> Matrix:
    """Return one column of 0 and 1 for each group; −1 stands for no group and is all 0.

    >>> dummies(np.array([7, 7, -1, 3]))
    array([[1., 0.], [1., 0.], [0., 0.], [0., 1.]], dtype=float32)
    """
    inside = groups >= 0
    names, place, size = np.unique(groups[inside], return_inverse=True, return_counts=True)
    rank = np.empty(len(names), dtype=np.int64)
    rank[np.argsort(-size, kind="stable")] = np.arange(len(names))  # the largest group first
    column = rank[place]
    kept = column < MOST_DUMMIES
    found = np.zeros((len(groups), min(len(names), MOST_DUMMIES)), dtype=np.float32)
    found[np.flatnonzero(inside)[kept], column[kept]] = 1.0
    return found


def grouped_k_means(points: Matrix, groups: Labels, alpha: float, clusters: int, rng: Generator) -> Labels:
    r"""Cluster rows by the block matrix :math:`[\bar X, \alpha \Omega]`: columns from 0 to 1, then weighted dummies.

    Rows in no group (−1) take no part in finding the clusters; each goes to the
    one whose mean columns are nearest to its own, so that having no group sets
    nobody apart.

    >>> points, groups = np.array([[0.0], [0.1], [0.9], [1.0], [0.2]]), np.array([0, 0, 1, 1, -1])
    >>> found = grouped_k_means(points, groups, 3.0, 2, np.random.default_rng(0))
    >>> (found == found[0]).tolist()
    [True, True, False, False, True]
    """
    columns, inside = min_max(points), groups >= 0
    if not inside.any():
        return k_means(columns, clusters, rng)
    found = np.zeros(len(groups), dtype=np.int64)
    found[inside] = k_means(np.hstack((columns[inside], np.float32(alpha) * dummies(groups[inside]))), clusters, rng)
    if not inside.all():
        found[~inside] = _nearest(columns[inside], found[inside], columns[~inside])
    return found


def _nearest(known: Matrix, clusters: Labels, asked: Matrix) -> Labels:
    """Return the cluster with the nearest mean; without columns, the largest cluster."""
    sizes = np.bincount(clusters)
    if known.shape[1] == 0:
        return np.full(len(asked), sizes.argmax())
    means = np.stack([known[clusters == number].mean(axis=0) for number in range(len(sizes))])
    distances = (asked**2).sum(axis=1)[:, None] - 2 * asked @ means.T + (means**2).sum(axis=1)
    return np.asarray(distances.argmin(axis=1), dtype=np.int64)


def k_means(points: Matrix, clusters: int, rng: Generator) -> Labels:
    """Cluster rows with k-means from ten starts; fewer clusters where there are fewer different rows.

    >>> k_means(np.array([[0.0], [0.1], [5.0]]), 2, np.random.default_rng(0)).tolist() in ([0, 0, 1], [1, 1, 0])
    True
    """
    from sklearn.cluster import KMeans

    if points.shape[1] == 0 or len(points) == 0:
        return np.zeros(len(points), dtype=np.int64)
    count = min(clusters, _distinct(points, clusters))
    means = KMeans(n_clusters=count, n_init=10, max_iter=300, tol=1e-4, random_state=small_seed(rng))
    found: Labels = means.fit_predict(points).astype(np.int64)
    return found


def spectral_cut(points: Matrix, clusters: int, rng: Generator) -> Labels:
    r"""Cut the graph of all rows, joined by how alike their directions are, where it costs least [1]_ [2]_.

    Rows :math:`i, j` are joined by :math:`A_{ij} = (1 + \cos(z_i, z_j)) / 2`, which is :math:`B B^\top` with
    :math:`B = [1, z / |z|] / \sqrt 2`. So the first eigenvectors of :math:`D^{-1/2} A D^{-1/2}` are the first left
    singular vectors of :math:`D^{-1/2} B`, a matrix as narrow as the points are: nothing of the size rows by
    rows is ever made, and no row is left out. k-means groups the rows of the eigenvectors, each made as long as 1.

    >>> points = np.array([[1.0, 0.1], [9.0, 0.2], [0.1, 1.0], [0.3, 7.0]])
    >>> spectral_cut(points, 2, np.random.default_rng(0)).tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True

    References
    ----------
    .. [1] J. Shi and J. Malik, "Normalized Cuts and Image Segmentation", PAMI 2000.
    .. [2] A. Ng, M. Jordan and Y. Weiss, "On Spectral Clustering", NIPS 2001.
    """
    if points.shape[1] == 0 or len(points) == 0:
        return np.zeros(len(points), dtype=np.int64)
    factor = np.hstack((np.ones((len(points), 1)), _directions(np.asarray(points, dtype=np.float64)))) / np.sqrt(2)
    degree = factor @ factor.sum(axis=0)
    vectors, values, _ = np.linalg.svd(factor / np.sqrt(degree)[:, None], full_matrices=False)
    told = vectors[:, :clusters][:, values[:clusters] > NOTHING]  # beyond the rank there is only rounding
    return k_means(_directions(told), clusters, rng)


def _directions(points: Matrix) -> Matrix:
    """Make every row as long as 1; a row of zeros stays."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return np.asarray(points / np.where(lengths > 0, lengths, 1.0))


def standardized(points: Matrix) -> Matrix:
    """Give every column mean 0 and deviation 1; constant columns become 0.

    >>> standardized(np.array([[1.0, 5.0], [3.0, 5.0]]))
    array([[-1.,  0.], [ 1.,  0.]])
    """
    centered = np.asarray(points - points.mean(axis=0), dtype=np.float64)
    deviation = centered.std(axis=0)
    noise = NOTHING * np.abs(points).max(axis=0, initial=0.0)
    return np.asarray(np.where(deviation > noise, centered / np.where(deviation > noise, deviation, 1.0), 0.0))


def connected(leaves: Sequence[Labels]) -> Labels:
    """Number rows alike that are joined by a chain of shared leaves; −1 is no leaf.

    >>> connected([np.array([0, 0, 1, 2, -1]), np.array([5, 6, 6, 7, -1])])
    array([0, 0, 0, 1, 2])
    """
    from scipy.sparse import block_array
    from scipy.sparse.csgraph import connected_components

    if not leaves:
        return np.zeros(0, dtype=np.int64)
    sets = memberships(leaves)
    _, labels = connected_components(block_array([[None, sets], [sets.T, None]], format="csr"), directed=False)
    return np.asarray(labels[: len(leaves[0])], dtype=np.int64)


def memberships(groups: Sequence[Labels]) -> "csr_array":
    """Return rows by groups of all lists, 1 where a row lies in a group; −1 is no group.

    >>> memberships([np.array([0, 0, 7, -1]), np.array([3, -1, 3, 3])]).toarray()
    array([[1., 0., 1.],
           [1., 0., 0.],
           [0., 1., 1.],
           [0., 0., 1.]])
    """
    from scipy.sparse import csr_array, hstack

    found = []
    for group in groups:
        inside = np.flatnonzero(group >= 0)
        names, place = np.unique(group[inside], return_inverse=True)
        found.append(csr_array((np.ones(len(inside)), (inside, place)), shape=(len(group), len(names))))
    return csr_array(hstack(found))


def _distinct(points: Matrix, wanted: int) -> int:
    """Count different rows; a few are enough where they already make up `wanted`."""
    centered = points - points.mean(axis=0)  # as k-means does, and what differs by less than rounding is the same
    few = len(np.unique(centered[: 100 * wanted], axis=0))
    return few if few >= wanted else len(np.unique(centered, axis=0))
