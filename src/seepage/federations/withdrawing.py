"""Rows that a party withdraws after ids were aligned and before training begins, by messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from seepage.errors import BadMessage
from seepage.hooks import Hook
from seepage.messages import OUTSIDE_TRAINING, Kind, Link, Message
from seepage.shapes import Array, Mask, Rows


@dataclass(eq=False)
class Withdrawing:
    """A party without labels that says which of the aligned rows it lets take part, and hears which all do.

    Parameters
    ----------
    rows
        The rows that take part, as far as it knows.
    """

    name: str
    rows: Rows
    hook: Hook
    _mine: Mask | None = field(default=None, repr=False)
    _over: bool = field(default=False, repr=False)

    def answer(self, message: Message) -> Message:
        """Do what the message asks, and reply: each question once, and nobody takes part whom it has withdrawn."""
        if self._over:
            raise BadMessage(f"'{self.name}' has heard already which rows take part.")
        if message.kind is not Kind.ALIGNMENT or not np.array_equal(message.rows, self.rows):
            raise BadMessage(f"'{self.name}' was to say which of its rows take part, and was asked something else.")
        if not message.payload:
            self._mine = _left(message.rows, self.hook) if self._mine is None else self._mine
            return message.reply({"left": self._mine})
        left: Mask = message.payload.get("left", np.zeros(0, dtype=np.bool_))
        if left.dtype != np.bool_ or left.shape != self.rows.shape:
            raise BadMessage(f"'{message.sender}' did not say of every row whether it takes part.")
        if self._mine is None or (left & ~self._mine).any():
            raise BadMessage(f"'{message.sender}' lets rows take part that were withdrawn.")
        self.rows, self._over = self.rows[left], True
        return message.reply({})


def withdraw(own: Withdrawing, links: Mapping[str, Link]) -> Rows:
    """Ask everybody which rows they let take part, tell everybody which all do, and return these.

    Who asks learns which rows each of the others withdraws; the others learn which are left.
    """
    rows = own.rows

    def ask(party: str, payload: Mapping[str, Array]) -> Message:
        return links[party].request(Message(Kind.ALIGNMENT, own.name, party, OUTSIDE_TRAINING, 0, rows, payload))

    left = _left(rows, own.hook)
    for party in links:
        said = ask(party, {}).payload.get("left")
        if said is None or said.dtype != np.bool_ or said.shape != left.shape:
            raise BadMessage(f"'{party}' did not say of every row whether it takes part.")
        left &= said
    for party in links:
        ask(party, {"left": left})
    own.rows = rows[left]
    return own.rows


def _left(rows: Rows, hook: Hook) -> Mask:
    return np.isin(rows, hook.alignment(rows))
