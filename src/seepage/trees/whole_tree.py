"""Whole trees, once every owner has released its thresholds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from seepage.json_arrays import from_array, to_array
from seepage.shapes import Array, Integers, Mask, Matrix, Singles

ABOUT = "about"
"""What a released part calls its description."""
SPLIT_FIELDS = ("round", "tree", "node", "column", "threshold", "missing_left")
LEAF_FIELDS = ("leaf_round", "leaf_tree", "leaf_node", "leaf_grafted")
WHOLE = frozenset({"round", "tree", "node", "column", "leaf_round", "leaf_tree", "leaf_node"})
T = TypeVar("T")
Release: TypeAlias = Literal["votes", "ratios"]


@dataclass(frozen=True, eq=False)
class WholeTree:
    """A binary tree over the columns of all parties; node 0 is the root.

    Parameters
    ----------
    column
        The column that each node splits, counted over all parties; −1 for a leaf.
    threshold
        Values at or below it go left.
    missing_left
        Whether a missing value goes left.
    left, right
        The children of each node; −1 for a leaf.
    values
        What each leaf says; 0 for other nodes.
    grafted
        Whether a local model of the active party answers for a leaf.
    """

    column: Integers
    threshold: Singles
    missing_left: Mask
    left: Integers
    right: Integers
    values: Matrix
    grafted: Mask

    @property
    def leaves(self) -> Integers:
        """The nodes that are leaves."""
        return np.flatnonzero(self.column < 0)

    @property
    def labels(self) -> Integers:
        """The class that each node votes for, were it a leaf; −1 where a local model answers."""
        return np.where(self.grafted, -1, self.values.argmax(axis=1))

    def goes_left(self, node: int, values: Array) -> Mask:
        """Say which values of a node's column go left."""
        left: Mask = values <= self.threshold[node]
        return left | np.isnan(values) if self.missing_left[node] else left

    def leaf_of(self, columns: Matrix) -> Integers:
        """Walk rows of all columns down to their leaves.

        >>> stump = WholeTree(np.array([0, -1, -1]), np.float32([0.5, 0, 0]), np.zeros(3, bool), np.array([1, -1, -1]),
        ...                   np.array([2, -1, -1]), np.array([[0, 0], [1, 0], [0, 1.0]]), np.zeros(3, bool))
        >>> stump.leaf_of(np.array([[0.5], [0.7]], dtype=np.float32))
        array([1, 2])
        """
        columns = np.asarray(columns, dtype=np.float32)
        at = np.zeros(len(columns), dtype=np.int64)
        rows = np.arange(len(columns))
        while True:
            split = self.column[at[rows]]
            rows, split = rows[split >= 0], split[split >= 0]
            if not len(rows):
                return at
            node, value = at[rows], columns[rows, split]
            left = (value <= self.threshold[node]) | (np.isnan(value) & self.missing_left[node])
            at[rows] = np.where(left, self.left[node], self.right[node])


def pack_trees(
    columns: Sequence[str],
    splits: Mapping[tuple[int, int, int], tuple[int, float, bool]],
    leaves: Mapping[tuple[int, int, int], Matrix] | None = None,
    grafted: frozenset[tuple[int, int, int]] = frozenset(),
) -> dict[str, Array]:
    """Return one owner's part of some trees as named arrays.

    Nodes are keyed by round, tree of the round and heap number. Splits are
    column, threshold and where missing values go; the active party alone adds leaves.
    """
    keys = np.array(list(splits), dtype=np.int64).reshape(-1, 3)
    packed: dict[str, Array] = {
        ABOUT: to_array({"columns": list(columns)}),
        "round": keys[:, 0],
        "tree": keys[:, 1],
        "node": keys[:, 2],
        "column": np.array([column for column, _, _ in splits.values()], dtype=np.int64),
        "threshold": np.array([threshold for _, threshold, _ in splits.values()], dtype=np.float32),
        "missing_left": np.array([left for _, _, left in splits.values()], dtype=np.bool_),
    }
    if leaves is None:
        return packed
    places = np.array(list(leaves), dtype=np.int64).reshape(-1, 3)
    return packed | {
        "leaf_round": places[:, 0],
        "leaf_tree": places[:, 1],
        "leaf_node": places[:, 2],
        "leaf_value": np.stack(list(leaves.values())).astype(np.float64),
        "leaf_grafted": np.array([place in grafted for place in leaves], dtype=np.bool_),
    }


def unpack_trees(parts: Sequence[Mapping[str, Array]], classes: int | None = None) -> tuple[WholeTree, ...]:
    """Put the parts of all owners together, in the order of the parties; a ValueError says what does not fit.

    Leaves must say one number for each of `classes`, where that is given.

    >>> bank = pack_trees(["age"], {(0, 0, 1): (0, 30.0, True)},
    ...                   {(0, 0, 2): np.array([1.0, 0.0]), (0, 0, 6): np.array([0.2, 0.8]),
    ...                    (0, 0, 7): np.array([0.9, 0.1])})
    >>> shop = pack_trees(["visits"], {(0, 0, 3): (0, 5.0, False)})
    >>> (tree,) = unpack_trees([bank, shop])
    >>> tree.column, tree.labels[tree.leaf_of(np.array([[25.0, 9.0], [40.0, 3.0], [40.0, 9.0]]))]
    (array([ 0, -1,  1, -1, -1]), array([0, 1, 0]))
    """
    splits: dict[tuple[int, int], dict[int, tuple[int, float, bool]]] = {}
    leaves: dict[tuple[int, int], dict[int, tuple[Any, bool]]] = {}
    offset = 0
    for part in parts:
        width = len(from_array(part[ABOUT])["columns"])
        _check_part(part, width, classes)
        for round_, tree, node, column, threshold, missing in zip(*(part[name] for name in SPLIT_FIELDS), strict=True):
            place = (offset + int(column), float(threshold), bool(missing))
            _put(splits.setdefault((int(round_), int(tree)), {}), int(node), place)
        if "leaf_value" in part:
            fields = (*(part[name] for name in LEAF_FIELDS), part["leaf_value"])
            for round_, tree, node, grafted, value in zip(*fields, strict=True):
                _put(leaves.setdefault((int(round_), int(tree)), {}), int(node), (value, bool(grafted)))
        offset += width
    if not leaves or not set(splits) <= set(leaves):
        raise ValueError("nobody released the leaves of a tree")
    return tuple(_whole(splits.get(key, {}), leaves[key]) for key in sorted(leaves))


def _check_part(part: Mapping[str, Array], width: int, classes: int | None) -> None:
    """Refuse arrays of different lengths, columns that are not there, and leaves of other classes."""
    for names in (SPLIT_FIELDS, (*LEAF_FIELDS, "leaf_value") if "leaf_value" in part else ()):
        lacking = [name for name in names if name not in part]
        if lacking:
            raise ValueError(f"a part lacks the array '{lacking[0]}'")
        if any(part[name].ndim != (2 if name == "leaf_value" else 1) for name in names):
            raise ValueError("an array of a part has the wrong number of dimensions")
        if len({len(part[name]) for name in names}) > 1:
            raise ValueError("the arrays of a part are not all of the same length")
        if any(name in WHOLE and part[name].dtype.kind not in "iu" for name in names):
            raise ValueError("numbers of trees, nodes and columns must be whole")
    outside = part["column"][(part["column"] < 0) | (part["column"] >= width)]
    if len(outside):
        raise ValueError(f"a node splits column {outside[0]} of an owner who has {width}, counted from 0")
    if "leaf_value" in part:
        values = part["leaf_value"]
        if classes is not None and values.shape[1] != classes:
            raise ValueError(f"leaves speak of {values.shape[1]} classes instead of {classes}")
        if not np.isfinite(values).all():
            raise ValueError("what a leaf says is not a number")


def _put(nodes: dict[int, T], node: int, said: T) -> None:
    if node in nodes:
        raise ValueError(f"node {node} of a tree is given twice")
    nodes[node] = said


def _whole(splits: Mapping[int, tuple[int, float, bool]], leaves: Mapping[int, tuple[Any, bool]]) -> WholeTree:
    heap = sorted({*splits, *leaves})
    place = {node: number for number, node in enumerate(heap)}
    if any(child not in place for node in splits for child in (2 * node, 2 * node + 1)) or 1 not in place:
        raise ValueError("a tree lacks nodes: every owner must release all of its splits")
    both = sorted(set(splits) & set(leaves))
    if both:
        raise ValueError(f"node {both[0]} of a tree is given twice: as a split and as a leaf")
    astray = [node for node in heap if node != 1 and node // 2 not in splits]
    if astray:
        raise ValueError(f"node {astray[0]} of a tree hangs below no split")
    nowhere = (-1, 0.0, False)
    silent = (np.zeros_like(next(iter(leaves.values()))[0]), False)
    chosen = [splits.get(node, nowhere) for node in heap]
    said = [leaves.get(node, silent) for node in heap]
    return WholeTree(
        column=np.array([column for column, _, _ in chosen], dtype=np.int64),
        threshold=np.array([threshold for _, threshold, _ in chosen], dtype=np.float32),
        missing_left=np.array([missing for _, _, missing in chosen], dtype=np.bool_),
        left=np.array([place.get(2 * node, -1) if node in splits else -1 for node in heap], dtype=np.int64),
        right=np.array([place.get(2 * node + 1, -1) if node in splits else -1 for node in heap], dtype=np.int64),
        values=np.stack([value for value, _ in said]),
        grafted=np.array([grafted for _, grafted in said], dtype=np.bool_),
    )


def vote_shares(said: Sequence[Matrix]) -> Matrix:
    """Return the share of trees that vote for each class; a tree votes for its most frequent class.

    Ties go to the class listed first.

    >>> vote_shares([np.array([[0.6, 0.4]]), np.array([[0.1, 0.9]]), np.array([[0.2, 0.8]])])
    array([[0.33333333, 0.66666667]])
    """
    votes = np.zeros(said[0].shape)
    rows = np.arange(len(votes))
    for tree in said:
        votes[rows, tree.argmax(axis=1)] += 1
    return votes / len(said)


def combined(said: Sequence[Matrix], release: Release) -> Matrix:
    """Return the confidences of a forest as it releases them: shares of votes, or the mean of class ratios."""
    return vote_shares(said) if release == "votes" else np.asarray(np.mean(said, axis=0))
