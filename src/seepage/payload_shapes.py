"""What messages of other packages carry: a kind is registered with the shape of its payload, and checked by it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from seepage.catalogs import Catalog
from seepage.shapes import Array

Numbers: TypeAlias = Literal["real", "whole", "yes or no"]
TYPES: Final[Mapping[str, str]] = {"real": "f", "whole": "iu", "yes or no": "b"}
"""What each sort of numbers is to NumPy."""


@dataclass(frozen=True)
class Carried:
    """One array of a payload.

    Parameters
    ----------
    name
        What the payload calls it.
    numbers
        ``real`` (finite, of any precision), ``whole``, or ``yes or no``.
    shape
        Its dimensions: a number, ``rows`` (a line for each row that the message is about), ``classes``, or any other
        word, which is the same number wherever it stands in one message.
    """

    name: str
    numbers: Numbers
    shape: tuple[str | int, ...]

    def __post_init__(self) -> None:
        if self.numbers not in TYPES:
            raise ValueError(f"numbers must be one of {', '.join(TYPES)}, got {self.numbers!r}")
        if not all(isinstance(size, str) or (type(size) is int and size >= 0) for size in self.shape):
            raise ValueError(f"a shape holds words and whole numbers, got {self.shape!r}")


@dataclass(frozen=True)
class PayloadShape:
    """All arrays that a message of one kind carries.

    >>> sums = PayloadShape((Carried("sums", "real", ("bins", 2)), Carried("node", "whole", (1,))))
    >>> import numpy as np
    >>> sums.misfit({"sums": np.ones((5, 2)), "node": np.array([3])}, rows=0, classes=2) is None
    True
    >>> sums.misfit({"sums": np.ones((5, 3)), "node": np.array([3])}, rows=0, classes=2)
    'sums as bins × 2'
    """

    arrays: tuple[Carried, ...]

    def __post_init__(self) -> None:
        names = [one.name for one in self.arrays]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"a payload has one array or more, each with a name of its own, got {names}")

    def misfit(self, payload: Mapping[str, Array], *, rows: int, classes: int) -> str | None:
        """Say what a payload should be, where it is not that; None where it is."""
        if set(payload) != {one.name for one in self.arrays}:
            return f"a payload of {', '.join(one.name for one in self.arrays)}"
        sizes: dict[str, int] = {"rows": rows, "classes": classes}
        for one in self.arrays:
            array = payload[one.name]
            if array.dtype.kind not in TYPES[one.numbers]:
                return f"{one.name} as {one.numbers} numbers".replace("yes or no numbers", "yes or no")
            fits = array.ndim == len(one.shape) and all(
                size == (wanted if isinstance(wanted, int) else sizes.setdefault(wanted, size))
                for wanted, size in zip(one.shape, array.shape, strict=True)
            )
            if not fits:
                return f"{one.name} as {' × '.join(map(str, one.shape)) or 'one number'}"
        return None


KINDS: Final = Catalog[PayloadShape]("message kind", "seepage.message_kinds", {})
"""Kinds of other packages, found through entry points: the kind's name, and where its `PayloadShape` is."""
_REGISTERED: Final[dict[str, PayloadShape]] = {}


def remember(kind: str, shape: PayloadShape) -> None:
    """Make the shape of a kind known to this process (`seepage.messages.register`)."""
    if _REGISTERED.setdefault(kind, shape) != shape:
        raise ValueError(f"{kind} messages are registered with another shape: {_REGISTERED[kind]}")


def shape_of(kind: str) -> PayloadShape | None:
    """Return what messages of a kind carry that another package brought; None where none did."""
    if kind in _REGISTERED:
        return _REGISTERED[kind]
    if kind not in KINDS.entries:
        return None
    found = KINDS[kind]
    if not isinstance(found, PayloadShape):
        raise ValueError(f"what should be a PayloadShape for {kind} messages ({KINDS.entry(kind).place})")
    return found
