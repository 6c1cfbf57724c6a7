"""Which rows two or more parties share, found without showing each other the ids of anybody else.

Private set intersection by Diffie and Hellman: each id is hashed to a point of Curve25519 and multiplied by a secret
of one party, then of the other. Products come out the same in either order, so that equal ids meet; whoever lacks a
secret cannot tell an id from a point, as long as the decisional Diffie-Hellman assumption holds there. Half of all
hashes belong to the twist of the curve, and products show which do: one bit, that nobody can tie to an id in a sorted
list.
"""

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from seepage.errors import BadMessage, BadTable
from seepage.messages import OUTSIDE_TRAINING, Kind, Link, Message
from seepage.shapes import NO_ROWS, Array, Rows

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

MARK: Final = b"seepage alignment 1\0"
"""What is hashed before every id, so that points are of no use elsewhere."""
POINT: Final = 32
"""Bytes of a point."""
MOST: Final = 1_000_000
"""Ids that a party may bring, unless agreed otherwise: who brings every possible id learns who is there."""


@dataclass(frozen=True, eq=False)
class Ids:
    """A party's ids as it reads them, one a row, and a secret that no message holds.

    Parameters
    ----------
    most
        How many ids any party may bring.
    """

    party: str
    ids: Sequence[object]
    most: int = MOST
    _secret: "X25519PrivateKey" = field(default_factory=lambda: _curve().X25519PrivateKey.generate(), repr=False)

    @cached_property
    def masked(self) -> Array:
        """The points of all ids, multiplied by the secret, in the order of the points: it says nothing about rows."""
        return self._points[self._order]

    def row(self, places: Array) -> Rows:
        """Return the rows that stand at some places of `masked`."""
        return self._order[places]

    def again(self, points: Array) -> Array:
        """Multiply somebody else's points by the secret."""
        if points.dtype != np.uint8 or points.ndim != 2 or points.shape[1] != POINT:
            raise BadMessage("What came is no list of points.")
        if len(points) > self.most:
            raise BadMessage(f"Somebody brings {len(points):,} ids, but {self.most:,} are the most that was agreed.")
        try:
            return self._times(points)
        except ValueError as error:
            raise BadMessage("What came is no list of points of Curve25519.") from error

    @cached_property
    def _order(self) -> Rows:
        each = _each(self._points)
        return np.array(sorted(range(len(each)), key=each.__getitem__), dtype=np.int64)

    @cached_property
    def _points(self) -> Array:
        named = [normalised(one) for one in self.ids]
        if not all(named):
            raise BadTable(f"'{self.party}' has rows without an id. Give each an id, or leave them out.")
        if len(set(named)) < len(named):
            raise BadTable(
                f"'{self.party}' has {len(named) - len(set(named)):,} rows whose id another row has as well. Ids are "
                "compared without spaces around them and without regard to case; keep one row for each."
            )
        if len(named) > self.most:
            raise BadTable(f"'{self.party}' brings {len(named):,} ids, but {self.most:,} are the most that was agreed.")
        hashed = b"".join(hashlib.sha256(MARK + one.encode()).digest() for one in named)
        return self._times(np.frombuffer(hashed, dtype=np.uint8).reshape(-1, POINT))

    def _times(self, points: Array) -> Array:
        """Multiply points by the secret."""
        read, times = _curve().X25519PublicKey.from_public_bytes, self._secret.exchange
        products = b"".join(times(read(point.tobytes())) for point in points)
        return np.frombuffer(products, dtype=np.uint8).reshape(-1, POINT)


@dataclass(eq=False)
class Aligner:
    """The answering side: it says nothing about an id that the other has not got, but how many there are.

    Parameters
    ----------
    rows
        The own rows that all parties share, in an order that all have; None until that is known.
    """

    own: Ids
    rows: Rows | None = None
    _answered: bool = field(default=False, repr=False)

    @property
    def name(self) -> str:
        """The party's name."""
        return self.own.party

    def answer(self, message: Message) -> Message:
        """Do what the message asks, and reply."""
        said = message.payload
        if message.kind is Kind.ALIGNMENT and set(said) == {"masked"} and not self._answered:
            self._answered = True  # whoever could ask again could try more ids than were agreed
            return message.reply({"twice": self.own.again(said["masked"]), "masked": self.own.masked}, rows=NO_ROWS)
        if message.kind is Kind.ALIGNMENT and set(said) == {"places"} and self.rows is None:
            places = said["places"]
            if places.ndim != 1 or places.dtype != np.int64 or not _are_places(places, len(self.own.ids)):
                raise BadMessage("What came are no places of our ids, each named once.")
            self.rows = self.own.row(places)
            return message.reply({}, rows=NO_ROWS)
        raise BadMessage(f"'{self.name}' is finding out which rows are shared, and was asked something else.")


def align(own: Ids, links: Mapping[str, Link]) -> Rows:
    """Find the rows that all parties share, and tell everybody; return the own ones, in the order that all have.

    The order is that of points, so that no table shows in it. Whoever asks learns of each
    other party which of the own ids it has; the others learn which of theirs all have. Everybody's number of ids shows.

    Parameters
    ----------
    links
        The roads to the other parties, each with an `Aligner` at its end.
    """

    def ask(party: str, payload: dict[str, Array]) -> Mapping[str, Array]:
        message = Message(Kind.ALIGNMENT, own.party, party, OUTSIDE_TRAINING, 0, NO_ROWS, payload)
        return links[party].request(message).payload

    shared = np.arange(len(own.ids))
    at: dict[str, Array] = {}
    for party in links:
        said = ask(party, {"masked": own.masked})
        if set(said) != {"twice", "masked"} or said["twice"].shape != own.masked.shape:
            raise BadMessage(f"'{party}' did not answer with our points and its own.")
        place = {point: number for number, point in enumerate(_each(own.again(said["masked"])))}
        if len(place) < len(said["masked"]):
            raise BadMessage(f"'{party}' sent a point twice.")
        at[party] = np.array([place.get(point, -1) for point in _each(said["twice"])], dtype=np.int64)
        shared = shared[at[party][shared] >= 0]
        if not len(shared):
            raise BadTable(
                f"No id is shared with '{party}'. Compare how ids are written on both sides, without showing any."
            )
    for party in links:
        ask(party, {"places": at[party][shared]})
    return own.row(shared)


def normalised(value: object) -> str:
    """Return an id as it is compared: without spaces around it, without regard to case, in one Unicode form.

    >>> normalised(" Müller-07 ") == normalised("MU\u0308LLER-07")
    True
    >>> normalised(None), normalised(float("nan"))
    ('', '')
    """
    if value is None or value != value:  # a gap
        return ""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", str(value)).casefold()).strip()


def _are_places(places: Array, count: int) -> bool:
    """Whether numbers are places of a list, each named once.

    >>> _are_places(np.array([2, 0]), 3), _are_places(np.array([0, 0]), 3), _are_places(np.array([3]), 3)
    (True, False, False)
    """
    return len(np.unique(places)) == len(places) and bool(((places >= 0) & (places < count)).all())


def _each(points: Array) -> list[bytes]:
    """Return each point as a value of its own."""
    data = points.tobytes()
    return [data[start : start + POINT] for start in range(0, len(data), POINT)]


def _curve() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import x25519
    except ImportError as error:
        raise BadTable("Finding shared rows needs a package more: pip install 'seepage[hosts]'") from error
    return x25519
