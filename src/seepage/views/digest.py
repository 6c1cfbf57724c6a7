"""A name for what a view holds: equal content has equal names, and any changed byte another one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from hashlib import blake2b
from itertools import chain
from operator import itemgetter
from typing import Any, Final

import numpy as np

from seepage.messages import Message
from seepage.shapes import Array
from seepage.transcript import Snapshot
from seepage.transcript.arrays import put_aside
from seepage.views.view import View

SIZE: Final = 32
"""How many bytes a digest has: nobody finds two views with one digest."""


@dataclass(frozen=True, eq=False)
class Digests:
    """Remembers the digest of each message and model, so that many views of one run are read once.

    Nobody writes into what was sent, so a message keeps its digest.
    """

    _of: dict[Message | Snapshot, bytes] = field(default_factory=dict, repr=False)

    def of(self, said: Message | Snapshot) -> bytes:
        """Return the digest of a message or a model."""
        if said not in self._of:
            self._of[said] = _hashed(_written(said))
            put_aside(said.payload if isinstance(said, Message) else said.state)
        return self._of[said]


def view_digest(view: View, digests: Digests | None = None) -> str:
    """Return a digest of all that an attack can read in a view, the earlier guess included.

    Arrays count with their type, their shape and their bytes, in whatever order they lie in memory. Mappings and
    sets count in no order, messages in theirs. What was declared is no content: it decides what is there.

    Parameters
    ----------
    digests
        Remembers messages over many views; None reads them all.

    Examples
    --------
    >>> from seepage.messages import Kind
    >>> from seepage.transcript import Agreement
    >>> from seepage.views import Knowledge, ThreatModel
    >>> terms = Agreement(federation="summed-network", parties=("bank", "shop"), active="bank", classes=2,
    ...                   top_model=False, outputs=2)
    >>> def seen(number):
    ...     told = {"gradient": np.array([[number, -number]])}
    ...     said = Message(Kind.GRADIENT, "bank", "shop", 0, 0, np.array([4]), told)
    ...     return View(terms, Knowledge(threat=ThreatModel(adversaries=("shop",))), (said,))
    >>> view_digest(seen(0.5)) == view_digest(seen(0.5)), view_digest(seen(0.5)) == view_digest(seen(0.25))
    (True, False)
    """
    digests = digests or Digests()
    return _hashed(
        [
            *_written((view.agreement, view.knowledge, vars(view).get("epochs"))),
            *(digests.of(said) for said in view.messages),
            *(digests.of(taken) for taken in view.snapshots),
            *_written((len(view.messages), len(view.snapshots))),
        ]
    ).hex()


def _hashed(pieces: Iterable[bytes]) -> bytes:
    made = blake2b(digest_size=SIZE)
    for piece in pieces:
        made.update(piece)
    return made.digest()


def _written(value: Any) -> list[bytes]:
    """Write a value as bytes, so that no two values are written alike; refuse what has no content of its own."""
    if isinstance(value, np.ndarray | np.generic):
        return _array(np.asarray(value))
    if isinstance(value, Enum):
        return [_piece(f"enum {type(value).__name__}", value.name.encode())]
    if value is None or isinstance(value, bool | int | float | str):
        return [_piece(type(value).__name__, repr(value).encode())]
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    if isinstance(value, tuple | list):
        return _several("sequence", [_written(one) for one in value])
    if isinstance(value, Mapping):
        pairs = sorted(((b"".join(_written(key)), one) for key, one in value.items()), key=itemgetter(0))
        return _several("mapping", [[key, *_written(one)] for key, one in pairs])
    if isinstance(value, frozenset | set):
        return _several("set", sorted(_written(one) for one in value))
    raise TypeError(f"a view holds values, but a {type(value).__name__} was found in one")


def _fields(value: Any) -> list[bytes]:
    """Write a dataclass: its name, and every field that was not withheld."""
    there = [one.name for one in fields(value) if not hasattr(value, "__dict__") or one.name in vars(value)]
    pieces = [_piece(f"class {type(value).__name__}", len(there).to_bytes(2))]
    for name in there:
        pieces += [_piece("field", name.encode()), *_written(getattr(value, name))]
    return pieces


def _array(value: Array) -> list[bytes]:
    if value.dtype.hasobject:
        raise TypeError(f"a view holds numbers, but an array of {value.dtype} was found in one")
    described = f"{value.dtype.str} {value.shape}".encode()
    return [_piece("array", described), np.ascontiguousarray(value).tobytes()]


def _several(kind: str, parts: list[list[bytes]]) -> list[bytes]:
    return [_piece(kind, len(parts).to_bytes(8)), *chain.from_iterable(parts)]


def _piece(kind: str, content: bytes) -> bytes:
    """Write bytes with what they are and how many they are, so that nothing runs into what follows."""
    return b"%d:%s%d:%s" % (len(kind), kind.encode(), len(content), content)
