"""Repairs of trees that were trained on noisy labels."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from seepage.hooks import Defense, FinishedTree, Hook, Seam
from seepage.mechanisms.label_stages import check_budget, staged_noise
from seepage.partition import OwnPart
from seepage.randomness import small_seed
from seepage.shapes import Labels, Matrix, Rows
from seepage.trees.heap import above, depth_of


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


@dataclass(frozen=True, kw_only=True)
class Grafting(Defense):
    r"""Train on noisy labels as `label-dp` does, then let the active party repair each tree on its own.

    Grafting-LDP, Algorithm 4 of paper 003, for forests, whose trees do not
    depend on each other. Labels are noised exactly as `label-dp` noises them.
    In a finished tree a node is *contaminated* when most of its rows have
    another class under the noisy labels than under the true ones (of equally
    frequent classes the lowest number counts). From the leaves upwards, an inner
    node with a contaminated child is flagged when it is contaminated itself;
    otherwise all below it is erased, and the active party splits it again with
    its own columns and the true labels, down to the depth the tree may have. A
    node repaired this way is clean.

    Nothing is sent for it, and prediction walks the original tree, so passive
    parties see exactly what they see under `label-dp`, and ε covers that. It
    does *not* cover the predictions of a repaired tree, which were made of true
    labels: whoever receives them is outside the promise.

    Parameters
    ----------
    epsilon
        :math:`\varepsilon` of the noise; paper 003 tries 0.1, 0.5, 1 and 2.
    stages
        How many parts the training rows are dealt into for it.

    Notes
    -----
    CheckContam of Algorithm 4 prints ``==``; the text and the authors' code test
    for *different* majorities, and so does this. A node is split again with all
    columns of the active party, where the authors' code uses whatever sample of
    columns the last tree had. An active party without columns puts a leaf of
    true class ratios there. Where contamination reaches up to the root there is
    no clean node to repair from, and the algorithm leaves those leaves as they
    are.
    """

    acts_on = frozenset({Seam.LABELS, Seam.FINISHED_TREE})

    epsilon: float = 1.0
    stages: int = 2

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.stages)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: the active party decides on its noise, and remembers the true labels for repairs."""
        clean = own_part.labels
        if clean is None:
            return Hook()
        noise = staged_noise(own_part.features, own_part.train, self.stages, self.epsilon, rng, own_part.classes)
        seed = small_seed(rng)

        def repaired(tree: FinishedTree) -> FinishedTree:
            grafts = {node: _graft(tree, node, own_part, clean, seed) for node in repairs(tree, clean)}
            return replace(tree, grafts=grafts)

        return Hook(labels=noise, finished_tree=repaired)


def repairs(tree: FinishedTree, clean: Labels) -> list[int]:
    """Return the nodes to be split again, top ones only, in ascending order.

    The right child of the root holds rows of class 1, of which noise made class 0:

    >>> rows = {1: np.arange(5), 2: np.array([0, 1, 2]), 3: np.array([3, 4])}
    >>> clean, noisy = np.array([0, 0, 0, 1, 1]), np.zeros(5, dtype=int)
    >>> repairs(FinishedTree(depth=1, rows=rows, leaves=frozenset({2, 3}), labels=noisy), clean)
    [1]
    """
    flagged: set[int] = set()
    repaired: set[int] = set()
    for node in sorted(tree.rows, reverse=True):  # children bear higher numbers than their parents
        if node in tree.leaves or flagged & {2 * node, 2 * node + 1}:
            if contaminated(tree.rows[node], tree.labels, clean):
                flagged.add(node)
            elif node not in tree.leaves:
                repaired.add(node)
    return sorted(node for node in repaired if not repaired & set(above(node)))


def contaminated(rows: Rows, noisy: Labels, clean: Labels) -> bool:
    """Say whether noise changed the most frequent class of these rows (CheckContam of Algorithm 4)."""
    return _majority(noisy[rows]) != _majority(clean[rows])


def _majority(labels: Labels) -> int:
    return int(np.argmax(np.bincount(labels, minlength=1)))  # the first of equals: the lowest class number


def _graft(tree: FinishedTree, node: int, own_part: OwnPart, clean: Labels, seed: int) -> OwnSubtree:
    left = tree.depth - depth_of(node)
    return fit_subtree(own_part.features, clean, tree.rows[node], depth=left, seed=seed, classes=own_part.classes)
