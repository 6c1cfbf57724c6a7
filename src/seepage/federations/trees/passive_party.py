"""A party without labels: Algorithm 1 of paper 003."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from seepage.crypto import Adder, Encryption, make_adder
from seepage.errors import AuditError
from seepage.federations.screening import Screener
from seepage.federations.trees.split_columns import SplitColumns
from seepage.federations.trees.split_draw import SplitDraw
from seepage.messages import Kind, Message
from seepage.partition import OwnPart
from seepage.shapes import NO_ROWS, Array, Integers
from seepage.transcript import Snapshot


@dataclass(eq=False)
class PassiveTreeParty:
    """Adds up what it cannot read, splits nodes when chosen, and says which way rows go.

    It holds its own columns, thresholds and public keys, and no key that opens anything.

    Parameters
    ----------
    screener
        What it brings along, and its defense.
    packings
        How many numbers of what size are added up for each row, as is agreed: by the name of what is sealed.
    build
        Its columns for splitting, of what is left of that once columns are screened.
    """

    screener: Screener
    encryption: Encryption
    packings: Mapping[str, tuple[int, int]]
    build: Callable[[OwnPart], SplitColumns] = field(repr=False)
    _sealed: dict[str, tuple[Adder[Any], Any]] = field(default_factory=dict, repr=False)
    _keys: dict[str, tuple[Array, Array, Adder[Any]]] = field(default_factory=dict, repr=False)
    _growing: list[tuple[int, int]] = field(default_factory=list, repr=False)

    @property
    def name(self) -> str:
        """The party's name."""
        return self.screener.part.party

    @cached_property
    def own(self) -> SplitColumns:
        """Its own columns and the splits it has made, prepared when they are first needed."""
        return self.build(self.screener.part)

    def answer(self, message: Message) -> Message:
        """Do what the message asks, and reply."""
        if message.kind is Kind.CORRELATION:
            return self.screener.answer(message)
        if message.kind is Kind.SETUP:
            return message.reply(self._set_up(message))
        if message.kind is Kind.ENCRYPTED:
            self._receive(message)
            return message.reply({}, rows=NO_ROWS)
        if message.kind is Kind.INSTANCE_SPACE:
            return self.screener.hook.message(self._split_sums(message))
        if message.kind is Kind.PURITY:
            adder, sealed = self._sealed["labels"]
            sums: Array = adder.send(self.own.sums_again(adder, sealed))
            return self.screener.hook.message(message.reply({"sums": sums}, rows=NO_ROWS))
        if message.kind is Kind.SPLIT_CHOICE:
            return self.screener.hook.message(self._child_spaces(message))
        if message.kind is Kind.DIRECTION:
            asked = message.payload
            left = self.own.directions(message.rows, int(asked["round"][0]), int(asked["tree"][0]), asked["node"])
            return message.reply({"left": left})
        if message.kind is Kind.MODEL:
            return self.screener.hook.message(message.reply(self.own.packed(), rows=NO_ROWS))
        if message.kind is Kind.PREDICTION:
            return message.reply({})
        raise AuditError(f"'{self.name}' does not know what to do with a message of kind '{message.kind}'.")

    def snapshots(self, epoch: int) -> list[Snapshot]:
        """Return nothing: thresholds are made once, and are in what it is asked for at the end."""
        del epoch
        return []

    def _set_up(self, message: Message) -> dict[str, Array]:
        """Say how many columns take part in a tree, or hear which of everybody's columns are drawn for a split."""
        if not message.payload:
            return {"width": np.array([self.own.in_tree])}
        self.own.draw = SplitDraw.heard(message.payload, count=self.own.in_tree)
        return {}

    def _receive(self, message: Message) -> None:
        (name,) = {"statistics", "labels"} & set(message.payload)
        key, terms = message.payload["public_key"], message.payload["terms"]
        if tuple(terms.tolist()) != self.packings[name] or not np.array_equal(message.rows, self.own.train):
            raise AuditError(f"'{self.name}' was sent {name} of other rows or of another size than was agreed.")
        known = self._keys.get(name)
        if known is None or not (np.array_equal(known[0], key) and np.array_equal(known[1], terms)):
            slots, largest = terms.tolist()
            adder = make_adder(self.encryption, key, slots=slots, largest=largest, rows=len(message.rows))
            known = self._keys[name] = (key, terms, adder)
        self._sealed[name] = (known[2], known[2].receive(message.payload[name]))

    def _split_sums(self, message: Message) -> Message:
        """Lines 1 to 9: one answer for all nodes of a level."""
        tree = message.payload["tree"]
        growing = (message.epoch, int(tree[0]))
        if growing not in self._growing:
            self._growing[:] = [growing]
            self.own.begin_tree(*growing)
        nodes, starts = _grouped(message.payload["node"])
        adder, sealed = self._sealed["statistics"]
        answer = self.own.sums(self.own.level(nodes, message.rows, starts), adder, sealed)
        payload: dict[str, Array] = {
            "candidates": answer.candidates,
            "given": np.array(answer.given, dtype=np.int64),
            "sums": adder.send(answer.sums),
            "usable": answer.usable,
            "tree": tree,
        }
        return message.reply(payload, kind=Kind.SPLIT_SUMS, rows=NO_ROWS)

    def _child_spaces(self, message: Message) -> Message:
        """Lines 10 to 12."""
        tree = message.payload["tree"]
        rows, parents, goes_left = [], [], []
        for node, candidate in zip(message.payload["node"], message.payload["candidate"], strict=True):
            left = self.own.split((message.epoch, int(tree[0]), int(node)), int(candidate))
            rows.append(self.own.rows_of(int(node)))
            parents.append(np.full(len(left), node))
            goes_left.append(left)
        payload: dict[str, Array] = {
            "node": np.concatenate(parents),
            "left": np.concatenate(goes_left),
            "tree": tree,
        }
        return message.reply(payload, kind=Kind.CHILD_SPACES, rows=np.concatenate(rows))


def _grouped(node: Integers) -> tuple[tuple[int, ...], Integers]:
    """Return the nodes in their order and where each begins.

    >>> _grouped(np.array([2, 2, 3]))
    ((2, 3), array([0, 2, 3]))
    """
    begins = np.flatnonzero(np.concatenate(([True], node[1:] != node[:-1])))
    return tuple(node[begins].tolist()), np.append(begins, len(node))
