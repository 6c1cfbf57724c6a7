"""The embeddings that an adversary was sent, epoch by epoch and for new rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from seepage.errors import IncompatibleView
from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.shapes import Matrix, Rows
from seepage.transcript import Epochs
from seepage.views.view import View


@dataclass(frozen=True, eq=False)
class SentEmbeddings:
    """What one party sent in one epoch, or outside training.

    Parameters
    ----------
    rows
        In ascending order, each once; what came last counts.
    """

    party: str
    epoch: int
    rows: Rows
    embeddings: Matrix

    def at(self, rows: Rows) -> Matrix:
        """Return the embeddings of some rows in float64; not a number where a row was not sent."""
        laid = np.full((len(rows), self.embeddings.shape[1]), np.nan)
        _, here, there = np.intersect1d(rows, self.rows, assume_unique=True, return_indices=True)
        laid[here] = self.embeddings[there]
        return laid

    def without(self, rows: Rows) -> "SentEmbeddings":
        """Leave some rows out.

        >>> sent = SentEmbeddings("shop", 0, np.arange(3), np.array([[0.1], [0.2], [0.3]]))
        >>> sent.without(np.array([1])).rows
        array([0, 2])
        """
        kept = ~np.isin(self.rows, rows)
        return SentEmbeddings(self.party, self.epoch, self.rows[kept], self.embeddings[kept])


def training_embeddings(view: View, epochs: Epochs) -> Iterator[SentEmbeddings]:
    """Yield what each party sent in each of some epochs, in the order it came; refuse where nothing was recorded."""
    kept = [message for message in _received(view, epochs) if message.epoch != OUTSIDE_TRAINING]
    if not kept:
        raise IncompatibleView(
            f"No embeddings of training rows were recorded in {epochs}.\n"
            "Record the messages of training, or choose an attack on released predictions."
        )
    together: dict[tuple[int, str], list[Message]] = {}
    for message in kept:
        together.setdefault((message.epoch, message.sender), []).append(message)
    for messages in together.values():
        yield _sent(messages)


def new_embeddings(view: View) -> tuple[SentEmbeddings, ...]:
    """Return what each party sent outside training; nothing where no prediction was made."""
    together: dict[str, list[Message]] = {}
    for message in (one for one in _received(view) if one.epoch == OUTSIDE_TRAINING):
        together.setdefault(message.sender, []).append(message)
    return tuple(_sent(messages) for messages in together.values())


def _sent(messages: list[Message]) -> SentEmbeddings:
    """Put the messages of one party in one epoch together."""
    rows = np.concatenate([message.rows for message in messages])
    embeddings = np.concatenate([message.payload["embedding"] for message in messages])
    if not np.isfinite(embeddings).all():
        raise IncompatibleView(
            f"Embeddings that '{messages[0].sender}' sent are not numbers.\nTrain again at a lower learning rate."
        )
    last = len(rows) - 1 - np.unique(rows[::-1], return_index=True)[1]
    return SentEmbeddings(messages[0].sender, messages[0].epoch, rows[last], embeddings[last])


def _received(view: View, epochs: Epochs | None = None) -> list[Message]:
    """Return embeddings of others; refuse where any of them are not of one width or do not fit their rows."""
    widths: dict[str, int] = {}
    adversaries = view.adversaries
    for message in (one for one in view.received(Kind.EMBEDDING) if one.sender not in adversaries):
        embedding = message.payload["embedding"]
        if embedding.ndim != 2 or len(embedding) != len(message.rows):
            raise IncompatibleView(
                f"An embedding message of '{message.sender}' speaks of {len(message.rows)} rows, but holds an array of "
                f"shape {embedding.shape}.\nRecord the messages again."
            )
        expected = widths.setdefault(message.sender, embedding.shape[1])
        if embedding.shape[1] != expected:
            raise IncompatibleView(
                f"'{message.sender}' sent embeddings of {expected} numbers first and of {embedding.shape[1]} later, so "
                "they are not those of one model.\nRecord one training at a time."
            )
    return [message for message in view.arrived(Kind.EMBEDDING, epochs) if message.sender not in adversaries]
