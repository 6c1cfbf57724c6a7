"""All ways down a tree, and those of them that some columns leave open."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.shapes import Floats, Integers, Labels, Mask, Matrix, Sides
from seepage.trees.whole_tree import WholeTree


@dataclass(frozen=True, eq=False)
class Paths:
    """The turns that lead to each leaf of a tree, at some of its nodes.

    Parameters
    ----------
    nodes
        The nodes that are looked at.
    turns
        Leaves by nodes: 1 where the path to the leaf goes left at the node, −1
        where it goes right, 0 where the node is not on it.
    """

    nodes: Integers
    turns: Sides


def paths_to_leaves(tree: WholeTree, columns: Integers) -> Paths:
    """Return the way to every leaf, at the nodes that split one of some columns.

    >>> stump = WholeTree(np.array([0, -1, -1]), np.float32([0.5, 0, 0]), np.zeros(3, bool), np.array([1, -1, -1]),
    ...                   np.array([2, -1, -1]), np.array([[0, 0], [1, 0], [0, 1.0]]), np.zeros(3, bool))
    >>> paths_to_leaves(stump, np.array([0])).turns
    array([[ 1],
           [-1]], dtype=int8)
    """
    leaves = tree.leaves
    nodes = np.flatnonzero(np.isin(tree.column, columns) & (tree.column >= 0))
    leaf_place = {leaf: number for number, leaf in enumerate(leaves.tolist())}
    node_place = {node: number for number, node in enumerate(nodes.tolist())}
    turns = np.zeros((len(leaves), len(nodes)), dtype=np.int8)
    open_: list[tuple[int, dict[int, int]]] = [(0, {})]
    while open_:
        node, taken = open_.pop()
        if node in leaf_place:
            turns[leaf_place[node], list(taken)] = list(taken.values())
            continue
        place = node_place.get(node)
        for child, turn in ((int(tree.left[node]), 1), (int(tree.right[node]), -1)):
            open_.append((child, taken if place is None else {**taken, place: turn}))
    return Paths(nodes, turns)


def reachable_leaves(tree: WholeTree, columns: Integers, values: Matrix) -> Mask:
    """Return which leaves a row can reach when only some of its columns are known: rows by leaves.

    This is Algorithm 1 of paper 002 up to line 14, for all rows at once and on
    any binary tree: a known column decides its nodes, any other leaves both
    ways open.

    Parameters
    ----------
    columns
        The known columns, by their place in the tree.
    values
        Rows by known columns, as the tree reads them.
    """
    place = {column: number for number, column in enumerate(columns.tolist())}
    known = np.ascontiguousarray(np.asarray(values, dtype=np.float32).T)
    gaps = np.isnan(known)
    gapless = np.asarray(~gaps.any(axis=1))
    leaf_place = {leaf: number for number, leaf in enumerate(tree.leaves.tolist())}
    reached = np.zeros((len(leaf_place), len(values)), dtype=np.bool_)
    open_ = [(0, np.ones(len(values), dtype=np.bool_))]  # lines 1 to 3
    while open_:  # lines 4 to 14; a mask is never written to, so siblings may share it
        node, here = open_.pop()
        if node in leaf_place:
            reached[leaf_place[node]] = here
            continue
        column = int(tree.column[node])
        if column in place:  # lines 6 to 10
            own = place[column]
            left = known[own] <= tree.threshold[node]
            if tree.missing_left[node] and not gapless[own]:
                left |= gaps[own]
            ways = ((tree.left[node], here & left), (tree.right[node], here & ~left))
        else:  # line 12
            ways = ((tree.left[node], here), (tree.right[node], here))
        open_.extend((int(child), rows) for child, rows in ways if rows.any())
    return reached.T


def asked_intervals(turns: Sides, places: Integers, thresholds: Matrix) -> tuple[Floats, Floats]:
    """Return what the way to each leaf asks of each column: to be above the first, and at most the second.

    Leaves by columns, infinite where the way asks nothing.

    Parameters
    ----------
    turns
        Leaves by nodes, as in `Paths`.
    places
        Which column each node splits, counted from 0.
    thresholds
        Where each node splits it.

    Examples
    --------
    >>> asked_intervals(np.array([[1, 1], [1, -1], [-1, 0]], dtype=np.int8), np.array([0, 0]), np.array([0.5, 0.2]))
    (array([[-inf], [ 0.2], [ 0.5]]), array([[0.2], [0.5], [inf]]))
    """
    shape = (len(turns), int(places.max(initial=-1)) + 1)
    low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
    for place, turn, threshold in zip(places, turns.T, thresholds, strict=True):
        left, right = turn > 0, turn < 0
        high[left, place] = np.minimum(high[left, place], threshold)
        low[right, place] = np.maximum(low[right, place], threshold)
    return low, high


def possible_leaves(tree: WholeTree, paths: Paths) -> Mask:
    """Return which leaves some row can reach: no column is asked for two things that exclude each other.

    A tree may well ask for both of a value that is missing, which goes left at
    one node and right at the next.
    """
    _, places = np.unique(tree.column[paths.nodes], return_inverse=True)
    low, high = asked_intervals(paths.turns, places, tree.threshold[paths.nodes])
    missing = np.ones(low.shape, dtype=np.bool_)
    for place, turn, left in zip(places, paths.turns.T, tree.missing_left[paths.nodes], strict=True):
        missing[turn == (-1 if left else 1), place] = False
    return np.asarray(((low < high) | missing).all(axis=1))


def one_of(candidates: Mask, rng: Generator) -> Labels:
    """Choose one candidate of each row, all with the same chance. Each row must have one.

    >>> one_of(np.array([[False, True], [True, False]]), np.random.default_rng(0))
    array([1, 0])
    """
    still = rng.integers(candidates.sum(axis=1, dtype=np.int32))  # how many candidates to pass by
    still = still.astype(np.int32)
    chosen = np.zeros(len(candidates), dtype=np.int64)
    for place, fits in enumerate(candidates.T):
        np.copyto(chosen, place, where=fits & (still == 0))
        still -= fits
    return chosen
