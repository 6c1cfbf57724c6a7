"""Labels that spread from a few rows to those they share groups with."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.sparse import csr_array, diags_array, hstack

from seepage.shapes import Labels, Matrix, Rows

PERSISTENCE: Final = 0.9
"""How much of a row's belief comes from rows it shares groups with; Zhou et al. use 0.99 where neighbors are near."""

STEPS: Final = 100
"""What is left of a step after so many more is below 1e-4 of it."""


def spread_labels(groups: Sequence[Labels], known: Rows, labels: Labels, classes: int) -> Matrix:
    r"""Let labelled rows lend their label to rows that share groups with them, these to others, and so on.

    With one edge of weight :math:`1 / N_l` between any two of the :math:`N_l` rows of group *l*, and
    :math:`S = D^{-1/2} W D^{-1/2}`, this is the local and global consistency of [1]_,

    .. math:: F \leftarrow \alpha S F + (1 - \alpha) Y,

    carried out group by group, so that no edge is written down. Small groups
    bind their rows closer than large ones. Every class has the same weight in
    all, however many of its rows were known; the confidences of a row sum to 1.
    A row that no label reaches has all known classes alike.

    Parameters
    ----------
    groups
        For each tree the group of every row, −1 for a row in none.
    known, labels
        Places of labelled rows, and their classes.

    Examples
    --------
    The first tree puts rows 0 to 2 together and rows 3 and 4, the second knows nothing of row 4:

    >>> trees = [np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, -1])]
    >>> spread_labels(trees, np.array([0, 4]), np.array([0, 1]), classes=2).round(2)
    array([[0.81, 0.19], [0.75, 0.25], [0.57, 0.43], [0.29, 0.71], [0.15, 0.85]])

    References
    ----------
    .. [1] D. Zhou et al., "Learning with Local and Global Consistency", NeurIPS 2003.
    """
    return spread_over_sets(csr_array(hstack([_memberships(group) for group in groups])), known, labels, classes)


def spread_over_sets(sets: csr_array, known: Rows, labels: Labels, classes: int) -> Matrix:
    """Let labels spread as `spread_labels` does, over sets that may lie inside each other.

    Parameters
    ----------
    sets
        Rows by sets, 1 where a row lies in a set.
    """
    given = np.zeros((sets.shape[0], classes))
    given[known, labels] = 1.0
    bound = _bound(sets)
    belief = given
    for _ in range(STEPS):
        belief = PERSISTENCE * (bound @ (bound.T @ belief)) + (1 - PERSISTENCE) * given
    seen = given.any(axis=0)
    belief = belief / np.where(seen, belief.sum(axis=0), 1.0)
    weight = belief.sum(axis=1, keepdims=True)
    return np.where(weight > 0, belief / np.where(weight > 0, weight, 1.0), seen / seen.sum())


def _memberships(group: Labels) -> csr_array:
    inside = np.flatnonzero(group >= 0)
    names, place = np.unique(group[inside], return_inverse=True)
    return csr_array((np.ones(len(inside)), (inside, place)), shape=(len(group), len(names)))


def _bound(sets: csr_array) -> csr_array:
    """Return the matrix B of rows by sets with B Bᵀ = S."""
    sizes = np.asarray(sets.sum(axis=0)).ravel()
    weighted = csr_array(sets @ diags_array(1.0 / np.sqrt(np.maximum(sizes, 1.0))))
    degree = np.asarray(weighted @ (weighted.T @ np.ones(sets.shape[0])))
    return csr_array(diags_array(1.0 / np.sqrt(np.where(degree > 0, degree, 1.0))) @ weighted)
