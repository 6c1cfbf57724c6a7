"""Correlations between columns of different parties, before anything is trained.

Numbers stand in for ciphertexts: the owner of columns seals them, the others
multiply what they cannot read with their own columns, and the owner alone opens
the products. A transcript holds zeros in their place (`messages.veiled`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from seepage.hooks import Hook, Screening, unchanged
from seepage.messages import OUTSIDE_TRAINING, Kind, Link, Message
from seepage.partition import OwnPart
from seepage.shapes import NO_ROWS, Array, Mask, Matrix, Rows

STILL: Final = 1e-12
"""A column whose length, once centred, is below this times its largest value does not vary."""


def screen(own: OwnPart, links: Mapping[str, Link]) -> None:
    """Let every passive party whose defense wants it leave columns out; no columns cross where none does."""

    def ask(party: str, rows: Rows, payload: dict[str, Array]) -> Message:
        return links[party].request(Message(Kind.CORRELATION, own.party, party, OUTSIDE_TRAINING, 0, rows, payload))

    mine = None
    for party in links:
        said = ask(party, own.rows, {}).payload
        if not said:  # its defense screens nothing
            continue
        sealed = said["sealed"]
        mine = standardized(own.features[own.rows]) if mine is None else mine
        others = [other for other in links if other != party]
        products = [ask(other, own.rows, {"sealed": sealed}).payload["products"] for other in others]
        ask(party, NO_ROWS, {"products": np.concatenate([mine.T @ sealed, *products])})


@dataclass(eq=False)
class Screener:
    """A passive party's columns before training: sealed for others, multiplied with theirs, and left out.

    Parameters
    ----------
    part
        What the party brings along; after it has decided, what it keeps of that.
    """

    part: OwnPart
    hook: Hook

    def answer(self, message: Message) -> Message:
        """Do what the message asks, and reply."""
        reply: dict[str, Array] = {}
        if not message.payload:
            reply = {"sealed": self._own} if self.hook.screening is not unchanged else {}
        elif "sealed" in message.payload:
            reply = {"products": self._own.T @ message.payload["sealed"]}
        else:
            self._decide(message.payload["products"].T)
        return message.reply(reply, rows=message.rows if "sealed" in reply else NO_ROWS)

    @cached_property
    def _own(self) -> Matrix:
        """All that it brought along, whatever it leaves out afterwards."""
        return standardized(self.part.features[self.part.rows])

    def _decide(self, correlations: Matrix) -> None:
        asked = Screening(part=self.part, correlations=correlations, kept=np.ones(self.part.width, dtype=np.bool_))
        self.part = narrowed(self.part, self.hook.screening(asked).kept)


def standardized(columns: Matrix) -> Matrix:
    """Centre columns and give them length 1, so that their products are Pearson correlations.

    Gaps count as the mean, and a column that does not vary becomes zero.

    >>> one = standardized(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]))
    >>> (one.T @ one).round(3)
    array([[1., 0.],
           [0., 0.]])
    """
    values = np.asarray(columns, dtype=np.float64)
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    means = filled.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    centred = np.where(known, filled - means, 0.0)
    length = np.linalg.norm(centred, axis=0)
    varies = length > STILL * (1 + np.abs(filled).max(axis=0, initial=0.0))
    return np.asarray(centred / np.where(varies, length, np.inf))


def narrowed(part: OwnPart, kept: Mask) -> OwnPart:
    """Return a part with some of its encoded columns; attributes of which none is left are gone.

    >>> part = OwnPart("shop", ("job", "visits"), np.eye(3), ("job=a", "job=b", "visits"), np.array([0, 0, 1]))
    >>> narrowed(part, np.array([False, False, True])).columns
    ('visits',)
    """
    if kept.all():
        return part
    left, attributes = np.unique(part.attributes[kept], return_inverse=True)
    return replace(
        part,
        columns=tuple(part.columns[number] for number in left),
        features=np.ascontiguousarray(part.features[:, kept]),
        names=tuple(name for name, keeps in zip(part.names, kept, strict=True) if keeps),
        attributes=attributes.astype(part.attributes.dtype),
        layout=part.layout.among(np.flatnonzero(kept)),
        limits=None if part.limits is None else part.limits[kept],
    )
