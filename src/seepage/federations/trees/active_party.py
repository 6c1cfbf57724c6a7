"""The party that holds the labels, grows the trees and predicts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from seepage.errors import AuditError
from seepage.federations.trees.growing import Growth, RoundMaterial
from seepage.federations.trees.tree import Tree
from seepage.hooks import FinishedTree, Hook, unchanged
from seepage.messages import OUTSIDE_TRAINING, Kind, Link, Message
from seepage.shapes import Array, Integers, Integers32, Labels, Mask, Matrix, Rows
from seepage.trees.heap import above
from seepage.trees.whole_tree import pack_trees


@dataclass(frozen=True, eq=False)
class ActiveTreeParty:
    """Knows who splits each node and what each leaf says; asks the owner which way a row goes."""

    chunk: ClassVar[int] = 65_536

    name: str
    material: RoundMaterial
    all_labels: Labels
    combine: Callable[[list[Matrix]], Matrix]
    trees: list[Tree] = field(default_factory=list)

    def answer(self, message: Message) -> Message:
        """Refuse: requests go out from here."""
        raise AuditError(f"'{self.name}' is the active party: it asks, and does not answer '{message.kind}'.")

    @property
    def traffic(self) -> Mapping[str, int]:
        """How many ciphertexts crossed, by kind of message."""
        return {kind.value: count for kind, count in sorted(self.material.outbox.traffic.items())}

    def grow(self, round_: int, number: int, values: Integers32, rows: Rows) -> Tree:
        """Grow one tree on the statistics of some training rows (given by position)."""
        material = self.material
        growth = Growth(
            material=material,
            round=round_,
            number=number,
            rows={1: rows},
            totals={1: values[rows].sum(axis=0, dtype=np.int64)},
            own_sealed=material.own_adder.receive(values),
        )
        tree = self._finished(growth.grown())
        self.trees.append(tree)
        return tree

    def _finished(self, tree: Tree) -> Tree:
        """Let the agreed defense repair the tree, out of everybody's sight."""
        hook = self.material.hook.finished_tree
        if hook is unchanged:
            return tree
        finished = FinishedTree(
            depth=self.material.growth.depth,
            rows={node: self.material.train[rows] for node, rows in tree.rows.items()},
            leaves=tree.leaves,
            labels=self.all_labels,
        )
        return replace(tree, grafts=hook(finished).grafts)

    @property
    def links(self) -> Mapping[str, Link]:
        """The roads to all other parties."""
        return self.material.outbox.links

    @property
    def hook(self) -> Hook:
        """The defense that it trained with."""
        return self.material.hook

    def confidences(self, rows: Rows, step: int) -> Matrix:
        """Return the confidences of some rows; nobody counts the questions."""
        del step
        return self.combine([tree.predictions(self.leaves(tree, rows), rows) for tree in self.trees])

    def own_model(self) -> dict[str, Array]:
        """Return the own thresholds, and the leaves of all trees."""
        leaves = {(tree.round, tree.number, node): value for tree in self.trees for node, value in tree.values.items()}
        grafted = frozenset(
            (tree.round, tree.number, node)
            for tree in self.trees
            for node in tree.values
            if any(one in tree.grafts for one in (node, *above(node)))
        )
        own = self.material.own
        return own.packed(leaves, grafted) if own is not None else pack_trees((), {}, leaves, grafted)

    def leaves(self, tree: Tree, rows: Rows) -> Integers:
        """Walk rows down a tree, asking the owner of each node; grafts change nothing of this."""
        at = np.ones(len(rows), dtype=np.int64)
        while True:
            inner = np.isin(at, np.fromiter(tree.owners, dtype=np.int64))
            if not inner.any():
                return at
            for party in dict.fromkeys(tree.owners.values()):
                mine = np.fromiter((node for node, owner in tree.owners.items() if owner == party), dtype=np.int64)
                here = np.flatnonzero(inner & np.isin(at, mine))
                if len(here):
                    left = self._directions(party, tree, rows[here], at[here])
                    at[here] = 2 * at[here] + ~left
            # every row has moved down by one node

    def _directions(self, party: str, tree: Tree, rows: Rows, nodes: Integers) -> Mask:
        if party == self.name:
            assert self.material.own is not None
            return self.material.own.directions(rows, tree.round, tree.number, nodes)
        payload = {"node": nodes, "tree": np.array([tree.number]), "round": np.array([tree.round])}
        request = Message(Kind.DIRECTION, self.name, party, OUTSIDE_TRAINING, 0, rows, payload)
        reply: Mask = self.links[party].request(request).payload["left"]
        return reply
