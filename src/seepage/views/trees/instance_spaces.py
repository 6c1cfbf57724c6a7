"""Which rows an adversary knows to have met in the nodes of a tree."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from seepage.errors import IncompatibleView
from seepage.messages import OUTSIDE_TRAINING, Kind
from seepage.shapes import Labels, Rows
from seepage.views.view import View

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Visibility: TypeAlias = Literal["subtraction", "literal"]

_Placed: TypeAlias = tuple[Rows, Rows]
"""Rows, and the heap number of a node that each is known to be in."""


@dataclass(frozen=True, eq=False)
class VisibleNodes:
    """The sets of rows that an adversary knows of one tree, in ascending order of rows."""

    round: int
    tree: int
    sets: tuple[Rows, ...]


@dataclass(frozen=True, eq=False)
class VisibleLeaves:
    """The smallest sets that an adversary knows of one tree, as one number for each training row.

    Parameters
    ----------
    leaf
        For every row of ``knowledge.train``, in that order, the leaf it lies in;
        −1 for a row that is in no leaf.
    """

    round: int
    tree: int
    leaf: Labels


def visible_nodes(view: View, visibility: Visibility = "subtraction") -> tuple[VisibleNodes, ...]:
    """Return what the adversary knows of every tree, by round.

    It knows the sets that it was sent, and both children of each node that it
    split itself; colluding adversaries pool.

    Parameters
    ----------
    visibility
        ``literal`` takes these sets and no more. ``subtraction`` adds what
        remains of a known set when all known sets inside it are taken away: of
        two children one of which is split again, hence sent, the other is known
        as well.
    """
    found = []
    for (round_, tree), placed in _placed(view).items():
        nodes = _sets(placed)
        sets = [nodes[node] for node in sorted(nodes)]
        if visibility == "subtraction":
            inner, rests = _inner(nodes), _sets(_deepest(placed))
            sets += [rests[node] for node in sorted(rests) if node in inner]
        found.append(VisibleNodes(round_, tree, tuple(sets)))
    return tuple(found)


def visible_leaves(view: View, visibility: Visibility = "subtraction") -> tuple[VisibleLeaves, ...]:
    """Return the smallest known sets of every tree, by round.

    Under ``subtraction`` these are the parts into which the known sets cut each
    other, which leave no row of a known set out. Under ``literal`` they are the
    known sets that have no known set inside. Rows that take no part in training
    are ignored. An adversary that was shown nothing, because a defense hid every
    tree, has one tree without leaves.

    Examples
    --------
    The root holds rows 0 to 4; rows 0 to 2 went left and were to be split again.

    >>> from seepage.messages import Message
    >>> from seepage.transcript import Agreement
    >>> from seepage.views import Knowledge, ThreatModel
    >>> def space(step, rows, nodes):
    ...     payload = {"node": np.array(nodes), "tree": np.array([0])}
    ...     return Message(Kind.INSTANCE_SPACE, "bank", "shop", 0, step, np.array(rows), payload)
    >>> terms = Agreement(federation="forest", parties=("bank", "shop"), active="bank",
    ...                   classes=2, top_model=False, outputs=0)
    >>> known = Knowledge(threat=ThreatModel(adversaries=("shop",)), train=np.arange(6))
    >>> view = View(terms, known, (space(0, [0, 1, 2, 3, 4], [1] * 5), space(1, [0, 1, 2], [2] * 3)))
    >>> visible_leaves(view)[0].leaf
    array([ 2,  2,  2,  1,  1, -1])
    >>> visible_leaves(view, "literal")[0].leaf
    array([ 2,  2,  2, -1, -1, -1])
    >>> [rows.tolist() for rows in visible_nodes(view)[0].sets]
    [[0, 1, 2, 3, 4], [0, 1, 2], [3, 4]]
    """
    order = np.argsort(view.knowledge.train)
    train = view.knowledge.train[order]
    found = []
    for (round_, tree), (rows, nodes) in _placed(view).items():
        leaf = np.full(len(train), -1, dtype=np.int64)
        taking_part = np.isin(rows, train)
        place = order[np.searchsorted(train, rows[taking_part])]
        # Along a path from the root heap numbers grow: the largest is the deepest known node.
        np.maximum.at(leaf, place, nodes[taking_part])
        if visibility == "literal":
            inner = _inner(nodes.tolist())
            leaf[np.isin(leaf, sorted(inner))] = -1
        found.append(VisibleLeaves(round_, tree, leaf))
    return tuple(found) or (VisibleLeaves(0, 0, np.full(len(train), -1, dtype=np.int64)),)


def parting_trees(view: View, visibility: Visibility = "subtraction") -> tuple[VisibleLeaves, ...]:
    """Return the leaves of trees that tell any two of their rows apart.

    A tree of which no more than the root was seen is a sample of rows, not a
    hint at labels. Where no tree tells anything, one tree without leaves stands
    for them.
    """
    trees = tuple(tree for tree in visible_leaves(view, visibility) if _parts_rows(tree))
    return trees or (VisibleLeaves(0, 0, np.full(len(view.knowledge.train), -1, dtype=np.int64)),)


def _parts_rows(tree: VisibleLeaves) -> bool:
    inside = tree.leaf[tree.leaf >= 0]
    return len(inside) > 0 and bool((inside != inside[0]).any())


def _placed(view: View) -> dict[tuple[int, int], _Placed]:
    """Collect (rows, heap number of their node) for every tree.

    Nothing may have come where a defense hid every tree; where the federation
    sends no instance spaces at all, that is refused.
    """
    if not view.arrived(Kind.INSTANCE_SPACE) and Kind.INSTANCE_SPACE in view.agreement.kinds:
        return {}
    found: dict[tuple[int, int], list[_Placed]] = defaultdict(list)
    for message in (*view.received(Kind.INSTANCE_SPACE), *view.sent(Kind.CHILD_SPACES)):
        if message.epoch == OUTSIDE_TRAINING or len(message.rows) == 0:
            continue
        nodes = np.asarray(message.payload["node"], dtype=np.int64)
        if message.kind is Kind.CHILD_SPACES:
            nodes = 2 * nodes + ~np.asarray(message.payload["left"], dtype=bool)
        found[message.epoch, int(message.payload["tree"][0])].append((message.rows, nodes))
    if not found:
        raise IncompatibleView(f"No row of any tree was shown to {view.who}.\nChoose a defense that hides less.")
    parts = {key: zip(*found[key], strict=True) for key in sorted(found)}
    return {key: (np.concatenate(rows), np.concatenate(nodes)) for key, (rows, nodes) in parts.items()}


def _sets(placed: _Placed) -> dict[int, Rows]:
    """Return the rows of every known node."""
    rows, nodes = placed
    order = np.lexsort((rows, nodes))
    names, first = np.unique(nodes[order], return_index=True)
    parts = zip(names.tolist(), np.split(rows[order], first[1:]), strict=True)
    return {name: _once(part) for name, part in parts}


def _once(rows: Rows) -> Rows:
    """Return sorted rows once each: several adversaries may hold the same set."""
    new = rows[1:] != rows[:-1]
    return rows if new.all() else rows[np.concatenate(([True], new))]


def _inner(nodes: Sequence[int] | dict[int, Rows]) -> set[int]:
    """Return all nodes that have one of these below them."""
    above: set[int] = set()
    for node in set(nodes):
        parent = node >> 1
        while parent and parent not in above:
            above.add(parent)
            parent >>= 1
    return above


def _deepest(placed: _Placed) -> _Placed:
    """Return every row once, with the deepest node it is known to be in: the one with the largest heap number."""
    rows, nodes = placed
    order = np.lexsort((-nodes, rows))
    seen, first = np.unique(rows[order], return_index=True)
    return seen, nodes[order][first]


def row_sets(view: View, visibility: Visibility = "subtraction") -> "csr_array":
    """Return training rows by known sets, 1 where a row lies in a set.

    Rows are in the order of ``knowledge.train``. Left out are sets of one row,
    which join it to no other, and the set of all rows that were seen of a tree,
    which is all rows or a random sample of them.

    Examples
    --------
    >>> from seepage.messages import Kind, Message
    >>> from seepage.transcript import Agreement
    >>> from seepage.views import Knowledge, ThreatModel
    >>> def space(step, rows, nodes):
    ...     payload = {"node": np.array(nodes), "tree": np.array([0])}
    ...     return Message(Kind.INSTANCE_SPACE, "bank", "shop", 0, step, np.array(rows), payload)
    >>> terms = Agreement(federation="forest", parties=("bank", "shop"), active="bank",
    ...                   classes=2, top_model=False, outputs=0)
    >>> known = Knowledge(threat=ThreatModel(adversaries=("shop",)), train=np.arange(6))
    >>> view = View(terms, known, (space(0, [0, 1, 2, 3, 4], [1] * 5), space(1, [0, 1, 2], [2] * 3)))
    >>> row_sets(view).toarray().T
    array([[1., 1., 1., 0., 0., 0.], [0., 0., 0., 1., 1., 0.]])
    """
    from scipy.sparse import csr_array

    train, none = view.knowledge.train, np.zeros(0, dtype=np.int64)
    trees = visible_nodes(view, visibility)
    most = max((int(rows[-1]) for tree in trees for rows in tree.sets), default=-1)
    place = np.full(max(most, int(train.max(initial=-1))) + 1, -1, dtype=np.int64)
    place[train] = np.arange(len(train))
    members = []
    for tree in trees:
        inside = [places[places >= 0] for places in (place[rows] for rows in tree.sets)]
        seen = len(np.unique(np.concatenate([none, *inside])))
        members += [rows for rows in inside if 1 < len(rows) < seen]
    sets = np.repeat(np.arange(len(members)), [len(rows) for rows in members])
    places = (np.concatenate([none, *members]), sets)
    return csr_array((np.ones(len(sets)), places), shape=(len(train), len(members)))
