"""A decision tree of one party, to be put in the place of a node."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from seepage.shapes import Labels, Matrix, Rows


@dataclass(frozen=True, eq=False)
class OwnSubtree:
    """Takes row numbers and returns class ratios, from one party's own columns.

    Parameters
    ----------
    features
        All rows by the party's columns.
    ratios
        The classes of the rows it was fitted on, in ratios that add up to 1.
    tree
        A fitted scikit-learn tree; None where there is nothing to split by.
    """

    features: Matrix
    ratios: Matrix
    tree: Any = None

    def __call__(self, rows: Rows) -> Matrix:
        """Return rows by classes."""
        answers = np.zeros((len(rows), len(self.ratios)))
        if self.tree is None:
            answers += self.ratios
        elif len(rows):
            answers[:, self.tree.classes_] = self.tree.predict_proba(self.features[rows])
        return answers


def fit_subtree(
    features: Matrix, labels: Labels, rows: Rows, *, depth: int, seed: int, classes: int | None = None
) -> OwnSubtree:
    """Fit a tree of at most so many levels of splits, by Gini impurity; without columns it is a leaf.

    Without a number of `classes` the largest label of all rows tells how many there are.

    >>> subtree = fit_subtree(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 2]), np.array([0, 1]), depth=1, seed=0)
    >>> subtree(np.array([0, 2]))
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    counts = np.bincount(labels[rows], minlength=classes or int(labels.max()) + 1)
    ratios = counts / counts.sum()
    if features.shape[1] == 0 or depth < 1:
        return OwnSubtree(features, ratios)
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(criterion="gini", max_depth=depth, random_state=seed)
    return OwnSubtree(features, ratios, tree.fit(features[rows], labels[rows]))
