"""How much a visible node can tell about labels."""

import numpy as np

from seepage.shapes import Counts, Matrix


def mutual_information_bound(counts: Counts, overall: Counts) -> Matrix:
    r"""Bound what knowing a node's rows tells about labels, in nats: Theorem 2 (Eq. 3) of paper 003.

    .. math:: I(Y; S_w) \le \max \left(
        \sum_c \frac{n_w^c}{n_w} \log \frac{n_w^c / n_w}{N^c / N}, \;
        \sum_c \frac{\bar n_w^c}{\bar n_w} \log \frac{\bar n_w^c / \bar n_w}{N^c / N} \right)

    for a node with :math:`n_w^c` of the :math:`N^c` rows of class *c*, and
    :math:`\bar n_w^c = N^c - n_w^c` outside. A side without rows adds 0. The
    logarithm is natural; 0 is what the root earns, and a pure node of a class
    earns at least the logarithm of one over its share.

    Nothing that is computed from :math:`S_w` alone, by whatever mechanism
    :math:`\mathcal M`, shares more with the label (Corollary 1, by the inequality of data
    processing): :math:`I(Y; \mathcal M(S_w)) \le I(Y; S_w)`. That is as far as it goes. A mechanism that
    reads several nodes, or a node and columns of its own, as attacks do, is
    bounded by none of these numbers, nor by the largest of them.

    Parameters
    ----------
    counts
        How many rows of each class each node holds, nodes by classes.
    overall
        How many rows each class has in all.

    Examples
    --------
    Of four rows of class 0 and four of class 1: all of them, half of each, and one class alone.

    >>> mutual_information_bound(np.array([[4, 4], [2, 2], [4, 0]]), np.array([4, 4]))
    array([0.        , 0.        , 0.69314718])
    """
    inside = np.asarray(counts, dtype=np.float64)
    outside = np.asarray(overall, dtype=np.float64) - inside
    if (inside < 0).any() or (outside < 0).any():
        raise ValueError("a node cannot hold more rows of a class than there are, or fewer than none")
    share = np.asarray(overall, dtype=np.float64) / max(1, int(np.sum(overall)))
    return np.maximum(_divergence(inside, share), _divergence(outside, share))  # Eq. 3


def _divergence(counts: Matrix, share: Matrix) -> Matrix:
    """Return how far the classes of each line are from their shares in all rows (Kullback and Leibler)."""
    from scipy.special import rel_entr

    rows = counts.sum(axis=1, keepdims=True)
    parts = counts / np.maximum(rows, 1)
    # Rounding may leave a divergence of 0 a little below it.
    return np.asarray(np.maximum(np.sum(rel_entr(parts, share), axis=1), 0.0))
