"""What the party with labels may ask under public terms, and what it is answered: nothing else passes at either end."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from seepage.errors import BadMessage
from seepage.messages import OUTSIDE_TRAINING, Kind, Link, Message, Party
from seepage.shapes import Rows
from seepage.transcript import Agreement
from seepage.transcript.payloads import check_payload

Names: TypeAlias = frozenset[str]
BARE: Final[Names] = frozenset()
"""A request without a payload, or an answer that only says that a message came."""
PART_OF_A_MODEL: Final = frozenset({"about"})
"""What is there in every part of a model, beside what that part is made of."""


def _names(*names: str) -> Names:
    return frozenset(names)


ANSWERS: Final[Mapping[tuple[Kind, Names], tuple[Kind, tuple[Names, ...]]]] = {
    (Kind.EMBEDDING, BARE): (Kind.EMBEDDING, (_names("embedding"),)),
    (Kind.GRADIENT, _names("gradient")): (Kind.GRADIENT, (BARE,)),
    (Kind.CURVATURE, _names("curvature")): (Kind.CURVATURE, (BARE,)),
    (Kind.PREDICTION, _names("confidence")): (Kind.PREDICTION, (BARE,)),
    (Kind.MODEL, BARE): (Kind.MODEL, (PART_OF_A_MODEL,)),
    (Kind.SETUP, BARE): (Kind.SETUP, (_names("width"),)),
    (Kind.SETUP, _names("begin", "seed", "total", "wanted")): (Kind.SETUP, (BARE,)),
    (Kind.CORRELATION, BARE): (Kind.CORRELATION, (_names("sealed"), BARE)),
    (Kind.CORRELATION, _names("sealed")): (Kind.CORRELATION, (_names("products"),)),
    (Kind.CORRELATION, _names("products")): (Kind.CORRELATION, (BARE,)),
    (Kind.ENCRYPTED, _names("public_key", "terms", "statistics")): (Kind.ENCRYPTED, (BARE,)),
    (Kind.ENCRYPTED, _names("public_key", "terms", "labels")): (Kind.ENCRYPTED, (BARE,)),
    (Kind.INSTANCE_SPACE, _names("node", "tree")): (
        Kind.SPLIT_SUMS,
        (_names("candidates", "given", "sums", "usable", "tree"),),
    ),
    (Kind.PURITY, BARE): (Kind.PURITY, (_names("sums"),)),
    (Kind.SPLIT_CHOICE, _names("node", "candidate", "tree")): (Kind.CHILD_SPACES, (_names("node", "left", "tree"),)),
    (Kind.DIRECTION, _names("node", "tree", "round")): (Kind.DIRECTION, (_names("left"),)),
}
"""By kind and payload of a request: the kind of its answer, and the payloads that it may have."""
SAME_ROWS: Final = frozenset({Kind.EMBEDDING, Kind.DIRECTION})
"""Answers with a line for each row that was asked about."""


@dataclass(frozen=True)
class Rules:
    """What two parties have agreed on before the first message.

    Parameters
    ----------
    rows
        How many rows the parties share.
    model
        Whether parts of the model are released.
    """

    terms: Agreement
    rows: int
    model: bool = False

    def check_request(self, message: Message) -> None:
        """Refuse what the party with labels may not ask."""
        known = (message.kind, frozenset(message.payload)) in ANSWERS
        if not known or message.kind not in self.terms.kinds or message.epoch < OUTSIDE_TRAINING or message.step < 0:
            raise BadMessage(f"'{message.sender}' asked something that {self.terms.federation} does not have.")
        if message.kind is Kind.MODEL and not self.model:
            raise BadMessage(f"'{message.sender}' asked for a part of the model, which is not released.")
        self._check(message)

    def check_answer(self, asked: Message, answer: Message) -> None:
        """Refuse what is no answer to a request."""
        kind, payloads = ANSWERS[asked.kind, frozenset(asked.payload)]
        names = frozenset(answer.payload)
        if kind is Kind.MODEL and names >= PART_OF_A_MODEL:
            names = PART_OF_A_MODEL
        place = (asked.receiver, asked.sender, asked.epoch, asked.step)
        if (answer.sender, answer.receiver, answer.epoch, answer.step) != place or answer.kind is not kind:
            raise BadMessage(f"'{asked.receiver}' answered something else than it was asked.")
        if names not in payloads or (kind in SAME_ROWS and not np.array_equal(asked.rows, answer.rows)):
            raise BadMessage(f"'{asked.receiver}' did not answer {asked.kind} with what that asks for.")
        self._check(answer)

    def _check(self, message: Message) -> None:
        if not self._are_ours(message.rows):
            raise BadMessage(f"A {message.kind} message of '{message.sender}' is about rows that are not shared.")
        if message.payload:
            try:
                check_payload(message.kind, message.rows, message.payload, self.terms)
            except (KeyError, TypeError, ValueError) as error:
                raise BadMessage(
                    f"A {message.kind} message of '{message.sender}' came with {error}, and is not."
                ) from error

    def _are_ours(self, rows: Rows) -> bool:
        """Whether every row is one that the parties share, and is named once."""
        if len(rows) and not (int(rows.min()) >= 0 and int(rows.max()) < self.rows):
            return False
        named = np.zeros(self.rows, dtype=np.bool_)
        named[rows] = True
        return int(np.count_nonzero(named)) == len(rows)


@dataclass(frozen=True)
class CarefulParty:
    """A party that hears a request only if the rules know it."""

    party: Party
    rules: Rules

    @property
    def name(self) -> str:
        """The party's name."""
        return self.party.name

    def answer(self, message: Message) -> Message:
        """Let the party answer what may be asked."""
        self.rules.check_request(message)
        return self.party.answer(message)


@dataclass(frozen=True)
class CarefulLink:
    """A link whose answers are looked at before anybody uses them."""

    link: Link
    rules: Rules

    def request(self, message: Message) -> Message:
        """Deliver the message and bring back what is an answer to it."""
        reply = self.link.request(message)
        self.rules.check_answer(message, reply)
        return reply
