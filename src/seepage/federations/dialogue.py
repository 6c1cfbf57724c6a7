"""What the party with labels may ask under public terms, and what it is answered: nothing else passes at either end."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from seepage.errors import BadMessage, BadSetting
from seepage.messages import OUTSIDE_TRAINING, Kind, Link, Message, Party
from seepage.shapes import Array, Rows
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
SMALL: Final = 1 << 16
MOST_COLUMNS: Final = 1_000_000
MOST_CANDIDATES: Final = 1 << 40
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
    simulated
        Whether numbers may stand in for ciphertexts, as they do in one process. Whoever is sent them can read them.
    """

    terms: Agreement
    rows: int
    model: bool = False
    simulated: bool = False

    def __post_init__(self) -> None:
        if Kind.ENCRYPTED in self.terms.kinds and not self.terms.encrypted and not self.simulated:
            raise BadSetting(
                "Without encryption, trees send statistics of every label in the clear. Set encryption "
                "(okamoto-uchiyama), or say that numbers may stand in for ciphertexts (simulated=True)."
            )

    def check_request(self, message: Message) -> None:
        """Refuse what the party with labels may not ask."""
        known = (message.kind, frozenset(message.payload)) in ANSWERS
        if not known or message.kind not in self.terms.kinds or message.epoch < OUTSIDE_TRAINING or message.step < 0:
            raise BadMessage(f"'{message.sender}' asked something that {self.terms.federation} does not have.")
        if message.kind is Kind.MODEL and not self.model:
            raise BadMessage(f"'{message.sender}' asked for a part of the model, which is not released.")
        if message.kind is Kind.CORRELATION and message.payload and not self.simulated:
            raise BadMessage(f"'{message.sender}' asked for products of columns, which would cross in the clear.")
        epochs = self.terms.settings.get("epochs", self.terms.settings.get("trees", 1))
        if message.epoch >= int(epochs):
            raise BadMessage(f"'{message.sender}' speaks of epoch {message.epoch}, but there are {epochs}.")
        if message.kind is Kind.SETUP and message.payload:
            begin, total, wanted = (int(message.payload[name].flat[0]) for name in ("begin", "total", "wanted"))
            if not (begin < total <= MOST_COLUMNS and 1 <= wanted <= total):
                raise BadMessage(f"'{message.sender}' speaks of {wanted} of {total} columns, which nobody has.")
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
        self._check(answer, asked_about=kind in SAME_ROWS)
        if kind is Kind.CORRELATION and answer.payload and not self.simulated:
            raise BadMessage(f"'{asked.receiver}' would send its columns, which a defense screens, in the clear.")
        fits = True
        if kind is Kind.SETUP and answer.payload:
            fits = 1 <= int(answer.payload["width"][0]) <= MOST_COLUMNS
        elif kind is Kind.SPLIT_SUMS:
            fits = self._sums_fit(asked, answer)
        elif kind is Kind.CHILD_SPACES:
            fits = np.array_equal(_distinct(asked.payload["node"]), _distinct(answer.payload["node"]))
        if not fits:
            raise BadMessage(f"'{asked.receiver}' did not answer {asked.kind} with what that asks for.")

    def _sums_fit(self, asked: Message, answer: Message) -> bool:
        """Whether sums are told for the nodes that were asked about, as many as there are candidates."""
        nodes, said = _distinct(asked.payload["node"]), answer.payload
        candidates, given, sums, usable = (said[name] for name in ("candidates", "given", "sums", "usable"))
        if candidates.shape != nodes.shape or given.ndim != 1 or usable.ndim != 1 or usable.dtype != np.bool_:
            return False
        if candidates.dtype != np.int64 or (candidates < 0).any() or (candidates > MOST_CANDIDATES).any():
            return False
        if given.dtype != np.int64 or len(np.unique(given)) < len(given) or not np.isin(given, nodes).all():
            return False
        told = int(candidates[np.isin(nodes, given)].sum())
        clear = self.terms.encrypted or (sums.ndim == 2 and len(sums) == told and sums.dtype in (np.int32, np.int64))
        return (
            clear and len(usable) in {0, int(candidates.sum())} and np.array_equal(said["tree"], asked.payload["tree"])
        )

    def _check(self, message: Message, *, asked_about: bool = False) -> None:
        """Refuse rows that are not shared, unless they are those that were asked about, and another payload."""
        if not asked_about and not self._are_ours(message.rows):
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


def _distinct(nodes: Array) -> Array:
    """Return each number once, in order: small ones, as those of nodes mostly are, without sorting.

    >>> _distinct(np.array([5, 4, 5])), _distinct(np.array([1 << 40, 2]))
    (array([4, 5]), array([            2, 1099511627776]))
    """
    if len(nodes) and nodes.min() >= 0 and nodes.max() < SMALL:
        return np.flatnonzero(np.bincount(nodes))
    return np.unique(nodes)


@contextmanager
def in_a_sentence(who: str = "What another party answered") -> Iterator[None]:
    """Say that something of somebody else cannot be used, whatever it broke: nobody's mistake is our traceback."""
    try:
        yield
    except (ArithmeticError, AssertionError, LookupError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        raise BadMessage(f"{who} cannot be used ({type(error).__name__}).") from error


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
        """Let the party answer what may be asked, and see that it says no more than that."""
        self.rules.check_request(message)
        with in_a_sentence(f"'{message.sender}' asked for {message.kind} at a time or in a way that"):
            answer = self.party.answer(message)
        self.rules.check_answer(message, answer)
        return answer


@dataclass(frozen=True)
class CarefulLink(Link):
    """A link whose answers are looked at before anybody uses them."""

    link: Link
    rules: Rules

    def post(self, message: Message) -> Callable[[], Message]:
        """Send the message, and return what waits for an answer to it."""
        wait = self.link.post(message)

        def checked() -> Message:
            reply = wait()
            self.rules.check_answer(message, reply)
            return reply

        return checked
