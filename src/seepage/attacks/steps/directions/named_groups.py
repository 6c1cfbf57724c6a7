"""Names for groups of rows, none of which has a known label."""

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.directions.told_by_columns import told_by_columns
from seepage.shapes import Array, Labels, Mask, Matrix, Rows


def named_groups(
    groups: Labels, grouped: Mask, inputs: Matrix, known: Rows, labels: Labels, classes: int, rng: Generator
) -> Array:
    """Return each row's class, as own columns go with groups and as known rows have them: rows by classes.

    A classifier on own columns says to which groups the known rows would belong.
    Groups and classes are then matched so that most of them come out right.

    Parameters
    ----------
    groups, grouped
        The group of each row, and whether it has one.
    inputs
        Own columns of all rows.
    known, labels
        Places of rows whose label is known and which have no group.

    Examples
    --------
    The last two rows are known and were never heard:

    >>> groups, grouped = np.array([0, 0, 1, 1, 0, 0]), np.array([True] * 4 + [False] * 2)
    >>> inputs = np.array([[5.0], [5.1], [0.0], [0.2], [5.2], [0.1]])
    >>> named_groups(groups, grouped, inputs, np.array([4, 5]), np.array([1, 0]), 2, np.random.default_rng(0))[:4]
    array([[0., 1.], [0., 1.], [1., 0.], [1., 0.]])
    """
    from scipy.optimize import linear_sum_assignment

    told = told_by_columns(inputs, groups, grouped, classes, rng)
    places = np.cumsum(~grouped)[known] - 1
    table = np.zeros((classes, classes))
    np.add.at(table.T, labels, told[places])
    group, name = linear_sum_assignment(-table)
    names = np.empty(classes, dtype=np.int64)
    names[group] = name
    return np.asarray(np.eye(classes)[names[groups]])
