r"""Several signed integers in one large one.

A plaintext of Okamoto-Uchiyama at 2048 bits has 682 bits, a gradient and a Hessian together need some eighty. So the
slots of a row share a plaintext: with slots of :math:`w` bits,

.. math:: m = \sum_s v_s \, 2^{w s}, \qquad |v_s| < 2^{w - 1},

and adding plaintexts adds every slot. The bound holds for *sums* as well, as :math:`w` is chosen for `rows` rows with
the largest value each, so no slot ever spills into the next and :math:`|m| < 2^{w \cdot \mathrm{slots} - 1}`.

To take a plaintext apart, :math:`2^{w-1}` is added to every slot at once. All slots are then non-negative and, as
:math:`w` is a whole number of bytes, stand side by side in the bytes of the number.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seepage.errors import BadSetting
from seepage.shapes import Array, Integers


@dataclass(frozen=True, kw_only=True)
class Packing:
    """How the slots of a row are laid out in plaintexts; both sides derive it from the public terms.

    Parameters
    ----------
    slots
        How many integers a row has.
    largest
        The largest absolute value one of them takes.
    rows
        How many rows a sum has at most.
    capacity
        Bits that a plaintext may have, sign included.

    Examples
    --------
    Ten thousand rows of numbers up to a million sum up to 10¹⁰, so a slot takes five bytes:

    >>> packing = Packing(slots=2, largest=1_000_000, rows=10_000, capacity=672)
    >>> packing.width, packing.pieces, packing.fold
    (40, 1, 8)
    >>> packed = packing.pack(np.array([[-3, 5], [2, -1]]))
    >>> packed[0] == -3 + 5 * 2**40
    True
    >>> packing.unpack(packed.sum(keepdims=True))
    array([[-1,  4]])
    """

    slots: int
    largest: int
    rows: int
    capacity: int

    def __post_init__(self) -> None:
        check_terms(self.slots, self.largest, self.rows)
        if self.width > self.capacity:
            raise BadSetting(
                f"A sum of {self.rows} rows needs {self.width} bits, more than the {self.capacity} that one ciphertext "
                "holds; take a longer key."
            )

    @property
    def width(self) -> int:
        """Bits for one slot: whole bytes, wide enough for the largest sum and its sign."""
        return 8 * -(-((self.largest * self.rows).bit_length() + 1) // 8)

    @property
    def together(self) -> int:
        """How many slots share a plaintext."""
        return min(self.slots, self.capacity // self.width)

    @property
    def pieces(self) -> int:
        """How many plaintexts a row takes."""
        return -(-self.slots // self.together)

    @property
    def fold(self) -> int:
        """How many sums fit into one plaintext, where they fit at all."""
        return self.capacity // (self.width * self.slots) if self.pieces == 1 else 1

    def pack(self, values: Integers) -> NDArray[np.object_]:
        """Return one big integer for each row and piece, piece after piece."""
        check_values(values, self.slots, self.largest)
        padded = np.zeros((len(values), self.pieces * self.together), dtype="<i8")
        padded[:, : self.slots] = values
        pieces = padded.reshape(len(values), self.pieces, self.together).transpose(1, 0, 2).reshape(-1, self.together)
        return _join(pieces, self.width)

    def unpack(self, packed: NDArray[np.object_]) -> Integers:
        """Return rows × slots from what `pack` made, or from sums of it."""
        split = _split(packed, self.together, self.width).reshape(self.pieces, -1, self.together)
        return split.transpose(1, 0, 2).reshape(-1, self.pieces * self.together)[:, : self.slots]

    def unfold(self, packed: NDArray[np.object_], fold: int) -> Integers:
        """Return the sums that share plaintexts, `fold` to each: the first of every plaintext, then the second, ..."""
        split = _split(packed, fold * self.slots, self.width).reshape(len(packed), fold, self.slots)
        return split.transpose(1, 0, 2).reshape(-1, self.slots)


def check_terms(slots: int, largest: int, rows: int) -> None:
    """Refuse terms under which sums would not be 64-bit integers.

    >>> check_terms(slots=2, largest=2**40, rows=2**30)
    Traceback (most recent call last):
        ...
    seepage.errors.BadSetting: Sums of 1073741824 rows with values up to 1099511627776 do not fit into 64 bits; ...
    """
    if min(slots, largest, rows) < 1:
        raise ValueError(f"slots, largest and rows must be 1 or more, got {slots}, {largest} and {rows}")
    if largest * rows >= 2**63:
        raise BadSetting(
            f"Sums of {rows} rows with values up to {largest} do not fit into 64 bits; "
            "take fewer rows or a coarser scale."
        )


def check_values(values: Array, slots: int, largest: int) -> None:
    """Refuse rows that break the terms, which would spoil every sum they enter."""
    if values.ndim != 2 or values.shape[1] != slots or values.dtype not in (np.int32, np.int64):
        raise ValueError(f"values must be int32 or int64, rows × {slots}, got {values.dtype} {values.shape}")
    if values.size and not -largest <= values.min() <= values.max() <= largest:
        raise ValueError(f"values must be from {-largest} to {largest}, got {values.min()} to {values.max()}")


def _join(values: Integers, width: int) -> NDArray[np.object_]:
    """Return Σ v_s · 2^(width · s) for every row."""
    slots = values.shape[1]
    lifted = (values.astype(np.uint64) + np.uint64(1 << (width - 1))).astype("<u8")
    octets = lifted.view(np.uint8).reshape(len(values), slots, 8)[:, :, : width // 8].tobytes()
    size, lift = slots * width // 8, _lift(slots, width)
    joined = np.empty(len(values), dtype=object)
    joined[:] = [int.from_bytes(octets[at : at + size], "little") - lift for at in range(0, len(octets), size)]
    return joined


def _split(joined: NDArray[np.object_], slots: int, width: int) -> Integers:
    """Undo `_join`."""
    size, lift = slots * width // 8, _lift(slots, width)
    try:
        octets = b"".join([(number + lift).to_bytes(size, "little") for number in joined])
    except OverflowError:
        raise ValueError("a sum is larger than the agreed terms allow") from None
    lifted = np.zeros((len(joined), slots, 8), dtype=np.uint8)
    lifted[:, :, : width // 8] = np.frombuffer(octets, dtype=np.uint8).reshape(len(joined), slots, width // 8)
    return (lifted.view("<u8")[:, :, 0] - np.uint64(1 << (width - 1))).astype(np.int64)


def _lift(slots: int, width: int) -> int:
    """Return the number with 2^(width - 1) in every slot."""
    return sum(1 << (width * slot + width - 1) for slot in range(slots))
