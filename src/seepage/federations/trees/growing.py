"""How the active party grows one tree: Algorithm 2 of paper 003, level by level."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from seepage.crypto import Adder
from seepage.federations.trees.candidates import Answer, Level
from seepage.federations.trees.criterion import Criterion, Statistics
from seepage.federations.trees.sealing import Outbox, SealedColumn
from seepage.federations.trees.settings import GrowthSettings
from seepage.federations.trees.split_columns import SplitColumns
from seepage.federations.trees.tree import Tree
from seepage.hooks import Hook, VisibleNodes, unchanged
from seepage.messages import Kind, Message
from seepage.shapes import Array, Counts, Labels, Mask, Rows

ALL_ALLOWED: Mask = np.zeros(0, dtype=np.bool_)
Opened: TypeAlias = dict[int, Statistics]
"""The sums left of each candidate, node by node."""


@dataclass(frozen=True, eq=False)
class RoundMaterial:
    """All that the trees of one round grow on.

    Parameters
    ----------
    labels
        The labels of the training rows, as the active party trains on them.
    own, own_adder
        The active party's own columns, and how it adds up for itself.
    statistics, classes
        What passive parties add up: statistics always, labels where purities are asked for.
    """

    name: str
    train: Rows
    labels: Labels
    overall: Counts
    growth: GrowthSettings
    criterion: Criterion
    own: SplitColumns | None
    own_adder: Adder[Any]
    outbox: Outbox
    statistics: SealedColumn
    classes: SealedColumn
    hook: Hook


@dataclass(frozen=True)
class Best:
    """The best split of a node so far, and what goes left."""

    gain: float
    party: str
    candidate: int
    left: Statistics = field(repr=False)


@dataclass(eq=False)
class Growth:
    """One tree while it grows.

    Parameters
    ----------
    rows, totals
        The training rows (by position) and the sums of every node so far.
    own_sealed
        The statistics of all rows, for the active party's own sums.
    opened
        The sums of the level before, for each who answered and what about.
    """

    material: RoundMaterial
    round: int
    number: int
    rows: dict[int, Rows]
    totals: dict[int, Statistics]
    own_sealed: Any
    owners: dict[int, str] = field(default_factory=dict)
    shown: set[int] = field(default_factory=set)
    opened: dict[tuple[str, Kind], Opened] = field(default_factory=dict)

    def grown(self) -> Tree:
        """Grow until nothing can be gained or the tree is deep enough."""
        material = self.material
        if self._may_show(lambda: self._class_counts([1]), 1)[0]:
            self.shown.add(1)
        if material.own is not None:
            material.own.begin_tree(self.round, self.number)
        frontier = [1]
        for _ in range(material.growth.depth):
            nodes = [node for node in frontier if self._worth_a_search(node)]
            if not nodes:
                break
            best = self._search(nodes)
            frontier = [child for node in self._divide(best) for child in (2 * node, 2 * node + 1)]
            self._show_children(best)
        leaves = {node: material.criterion.value(self.totals[node]) for node in self.rows if node not in self.owners}
        return Tree(self.round, self.number, self.owners, leaves, self.rows, frozenset(self.shown))

    def _worth_a_search(self, node: int) -> bool:
        enough = len(self.rows[node]) >= 2 * max(1, self.material.growth.least_rows)
        return enough and not self.material.criterion.finished(self.totals[node])

    def _search(self, nodes: list[int]) -> dict[int, Best]:
        """Gather candidates from everyone and keep the best of each node; at a tie the active party's."""
        best: dict[int, Best] = {}
        material = self.material
        shown = [node for node in nodes if node in self.shown]
        asked = self._asked(shown) if shown and material.outbox.links else {}
        if material.own is not None:  # others search meanwhile
            answer = material.own.sums(_level(nodes, self.rows), material.own_adder, self.own_sealed)
            left = self._opened((material.name, Kind.SPLIT_SUMS), nodes, answer, material.own_adder.send(answer.sums))
            self._consider(best, material.name, nodes, left, answer.usable)
        for party, wait in asked.items():
            reply = wait()
            said = reply.payload
            answer = Answer(said["candidates"], tuple(said["given"].tolist()), said["sums"], said["usable"])
            left = self._opened((party, reply.kind), shown, answer, material.statistics.open(reply))
            self._consider(best, party, shown, left, self._allowed(party, shown, answer, left))
        return best

    def _asked(self, shown: list[int]) -> dict[str, Callable[[], Message]]:
        """Ask everybody for the sums of some nodes, and return what waits for each reply."""
        material, level = self.material, _level(shown, self.rows)
        material.statistics.share(self.round)
        request: dict[str, Array] = {
            "node": np.repeat(np.array(shown, dtype=np.int64), np.diff(level.starts)),
            "tree": np.array([self.number], dtype=np.int64),
        }
        rows = material.train[level.rows]
        post = material.outbox.post
        return {party: post(party, Kind.INSTANCE_SPACE, self.round, rows, request) for party in material.outbox.links}

    def _opened(self, speaker: tuple[str, Kind], nodes: list[int], answer: Answer[Any], sums: Statistics) -> Opened:
        """Return the sums of every node, those not given as the parent's less the sibling's.

        A node is asked about together with its sibling or not at all where its
        own sums are not given, and its parent was asked about one level before.
        """
        size = dict(zip(nodes, answer.candidates.tolist(), strict=True))
        left: Opened = dict(zip(answer.given, _pieces(sums, [size[node] for node in answer.given]), strict=True))
        before = self.opened.get(speaker, {})
        for node in nodes:
            if node not in left:
                left[node] = before[node // 2] - left[node ^ 1]
        self.opened[speaker] = left
        return left

    def _consider(self, best: dict[int, Best], party: str, nodes: list[int], left: Opened, usable: Mask) -> None:
        start = 0
        for node in nodes:
            sums = left[node]
            permitted = usable[start : start + len(sums)] if len(usable) else ALL_ALLOWED
            start += len(sums)
            candidate, gain = self.material.criterion.best(sums, self.totals[node], permitted)
            if candidate >= 0 and (node not in best or gain > best[node].gain):
                best[node] = Best(gain, party, candidate, sums[candidate].copy())

    def _divide(self, best: dict[int, Best]) -> list[int]:
        """Let the owners of the winning splits divide their nodes; return the nodes in order."""
        for party in dict.fromkeys(choice.party for choice in best.values()):
            nodes = [node for node, choice in best.items() if choice.party == party]
            for node, left in self._children(party, nodes, best):
                self.owners[node] = party
                self.rows[2 * node], self.rows[2 * node + 1] = self.rows[node][left], self.rows[node][~left]
                self.totals[2 * node] = best[node].left
                self.totals[2 * node + 1] = self.totals[node] - best[node].left
        return sorted(best)

    def _children(self, party: str, nodes: list[int], best: dict[int, Best]) -> Iterator[tuple[int, Mask]]:
        material = self.material
        if party == material.name:
            assert material.own is not None
            for node in nodes:
                yield node, material.own.split((self.round, self.number, node), best[node].candidate)
            return
        payload = {
            "node": np.array(nodes, dtype=np.int64),
            "candidate": np.array([best[node].candidate for node in nodes], dtype=np.int64),
            "tree": np.array([self.number], dtype=np.int64),
        }
        none = np.zeros(0, dtype=np.int64)
        reply = material.outbox.ask(party, Kind.SPLIT_CHOICE, self.round, none, payload)
        for node in nodes:
            yield node, reply.payload["left"][reply.payload["node"] == node]

    def _show_children(self, best: dict[int, Best]) -> None:
        """Say which children passive parties may see: both of a node or none."""
        parents = [node for node in best if node in self.shown]
        if not parents:
            return
        children = [child for node in parents for child in (2 * node, 2 * node + 1)]
        allowed = self._may_show(lambda: self._class_counts(children), len(children)).reshape(-1, 2)
        for node, both in zip(parents, allowed.tolist(), strict=True):
            if all(both):
                self.shown |= {2 * node, 2 * node + 1}

    def _allowed(self, party: str, nodes: list[int], answer: Answer[Any], left: Opened) -> Mask:
        """Say which candidates of a passive party may win: those that it may see both children of."""
        if self.material.hook.split is unchanged:
            return answer.usable
        size = int(answer.candidates.sum())

        def both_children() -> Counts:
            on_left = self.material.criterion.class_counts(np.concatenate([left[node] for node in nodes]))
            if on_left is None:
                on_left = self._purities(party, nodes, answer)
            totals = np.repeat(self._class_counts(nodes), answer.candidates, axis=0)
            return np.concatenate((on_left, totals - on_left))

        left_fine, right_fine = np.split(self._may_show(both_children, 2 * size), 2)
        allowed = left_fine & right_fine
        return allowed & answer.usable if len(answer.usable) else allowed

    def _purities(self, party: str, nodes: list[int], answer: Answer[Any]) -> Counts:
        """Return class counts left of every candidate: opened sums of sealed labels (Algorithm 6).

        The algorithm sends ratios of both children and both complements; they
        all follow from the left counts and what the active party knows itself.
        """
        material = self.material
        material.classes.share(self.round)
        none = np.zeros(0, dtype=np.int64)
        reply = material.outbox.ask(party, Kind.PURITY, self.round, none, {})
        left = self._opened((party, reply.kind), nodes, answer, material.classes.open(reply))
        return np.concatenate([left[node] for node in nodes])

    def _may_show(self, class_counts: Callable[[], Counts], count: int) -> Mask:
        visible = VisibleNodes(
            tree=self.round,
            class_counts=class_counts,
            overall=self.material.overall,
            allowed=np.ones(count, dtype=np.bool_),
        )
        return self.material.hook.split(visible).allowed

    def _class_counts(self, nodes: list[int]) -> Counts:
        classes = len(self.material.overall)
        return np.stack([np.bincount(self.material.labels[self.rows[node]], minlength=classes) for node in nodes])


def _level(nodes: list[int], rows: dict[int, Rows]) -> Level:
    members = [rows[node] for node in nodes]
    starts = np.concatenate(([0], np.cumsum([len(member) for member in members])))
    return Level(tuple(nodes), np.concatenate(members) if len(members) > 1 else members[0], starts)


def _pieces(sums: Statistics, counts: list[int]) -> list[Statistics]:
    return np.split(sums, np.cumsum(counts[:-1])) if counts else []
