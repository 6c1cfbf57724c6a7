"""How far the classes of a node are from those of all rows."""

import numpy as np

from seepage.shapes import Counts, Matrix


def node_leakage(counts: Counts, overall: Counts) -> Matrix:
    r"""Bound what knowing the rows of a node tells about a label, in nats, for each node.

    .. math::

        \max\left(
          \sum_c \frac{n_w^c}{n_w} \ln \frac{n_w^c / n_w}{N^c / N}, \;
          \sum_c \frac{\bar n_w^c}{\bar n_w} \ln \frac{\bar n_w^c / \bar n_w}{N^c / N}
        \right)

    where :math:`n_w^c` rows of class *c* are in node *w*, :math:`\bar n_w^c =
    N^c - n_w^c` are outside, and :math:`N^c` are there in all. It is the right
    side of Eq. 3 of [1]_, so the mutual information between the label of a row
    and whether the row is in the node is at most this. It is at most
    :math:`-\ln \min_c N^c / N`, which a node of rows of the rarest class alone
    attains.

    Parameters
    ----------
    counts
        How many rows of each class each node holds, nodes by classes.
    overall
        How many rows each class has.

    Notes
    -----
    A class that is absent adds 0, as the limit of x ln x says, and so does a
    node without rows or without a complement. The authors' code adds 1e-15
    inside the logarithm instead.

    Examples
    --------
    All rows, half of each class, and one row alone:

    >>> node_leakage(np.array([[4, 4], [2, 2], [1, 0]]), np.array([4, 4])).round(3)
    array([0.   , 0.   , 0.693])

    References
    ----------
    .. [1] H. Takahashi, J. Liu and Y. Liu, "Eliminating Label Leakage in
       Tree-Based Vertical Federated Learning", arXiv:2307.10318, Theorem 2.
    """
    inside, outside = np.asarray(counts), np.asarray(overall) - counts
    if np.any(inside < 0) or np.any(outside < 0):
        raise ValueError("a node holds between 0 and all rows of a class")
    return np.asarray(np.maximum(_divergence(inside, overall), _divergence(outside, overall)))


def largest_leakage(overall: Counts) -> float:
    r"""Return the most that `node_leakage` can say: :math:`-\ln` of the share of the rarest class.

    >>> round(largest_leakage(np.array([3, 0, 1])), 3)  # a class without rows does not count
    1.386
    """
    present = overall[overall > 0]
    return float(np.log(present.sum() / present.min())) if len(present) else 0.0


def _divergence(counts: Counts, overall: Counts) -> Matrix:
    """Return the Kullback-Leibler divergence of each node's classes from those of all rows."""
    rows = counts.sum(axis=-1, keepdims=True)
    shares = np.divide(counts, rows, out=np.zeros(counts.shape), where=rows > 0)
    expected = np.broadcast_to(overall / max(1, overall.sum()), shares.shape)
    ratios = np.divide(shares, expected, out=np.ones(shares.shape), where=shares > 0)
    divergence = np.sum(shares * np.log(ratios), axis=-1)
    return np.asarray(np.maximum(divergence, 0.0))  # a rounding may fall below 0
