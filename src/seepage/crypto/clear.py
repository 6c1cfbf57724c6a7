"""The same protocol in the clear: integers stand in for ciphertexts.

Nothing is hidden. It serves to measure what the opened sums give away, which are the same integers, in a fraction of
the time.
"""

from dataclasses import dataclass

import numpy as np

from seepage.crypto.packing import check_terms, check_values
from seepage.crypto.positions import check_blocks, check_codes, check_positions, check_starts
from seepage.shapes import Array, Integers


@dataclass(frozen=True, kw_only=True)
class ClearSealer:
    """Hands the integers over as they are.

    >>> sealer = ClearSealer(slots=2, largest=9)
    >>> sealed = sealer.seal(np.array([[1, -2], [3, 4]]))
    >>> sealer.open(sealed), sealer.count(sealed)
    (array([[ 1, -2],
           [ 3,  4]]), 4)
    """

    slots: int
    largest: int

    @property
    def public(self) -> Array:
        """No key, no bytes."""
        return np.zeros(0, dtype=np.uint8)

    def seal(self, values: Integers) -> Array:
        """Return a copy, once the values are known to keep the terms."""
        check_values(values, self.slots, self.largest)
        return values.copy()

    def open(self, sealed: Array) -> Integers:
        """Return a copy."""
        return _integers(sealed, self.slots).astype(np.int64)

    def count(self, sealed: Array) -> int:
        """Return how many integers cross the link."""
        return sealed.size


@dataclass(frozen=True, kw_only=True)
class ClearAdder:
    """Adds integers, as fast as can be.

    >>> adder = ClearAdder(slots=1, largest=9, rows=4)
    >>> vector = adder.receive(np.array([[1], [2], [3], [4]]))
    >>> codes = np.array([[0], [1], [0], [1]], dtype=np.uint8)
    >>> rows, starts = np.array([0, 1, 3]), np.array([0, 3])
    >>> adder.send(adder.bin_sums(vector, rows, starts, codes, bins=3)).ravel()
    array([1, 6, 0])
    """

    slots: int
    largest: int
    rows: int

    def __post_init__(self) -> None:
        check_terms(self.slots, self.largest, self.rows)

    def receive(self, sealed: Array) -> Array:
        """Keep the rows in half the memory where the terms allow it."""
        check_values(sealed, self.slots, self.largest)
        return np.ascontiguousarray(sealed, dtype=np.int32 if self.largest < 2**31 else np.int64)

    def bin_sums(self, vector: Array, rows: Integers, starts: Integers, codes: Array, bins: int) -> Array:
        """Add up parts of the rows by the bins of each column."""
        from seepage.crypto import histograms

        check_positions(rows, len(vector))
        check_starts(starts, rows.size)
        check_codes(codes, len(vector), bins)
        return histograms.bin_sums(vector, rows, starts, codes, bins)

    def group_sums(self, vector: Array, order: Array, starts: Integers) -> Array:
        """Add up each group of rows."""
        from seepage.crypto import histograms

        check_positions(order, len(vector))
        check_starts(starts, order.size)
        return histograms.group_sums(vector, order, starts)

    def take(self, vector: Array, positions: Integers) -> Array:
        """Pick some sums."""
        check_positions(positions, len(vector))
        return _wide(vector[positions])

    def running(self, sums: Array, starts: Integers) -> Array:
        """Return cumulative sums of each block."""
        from seepage.crypto import histograms

        check_blocks(starts, len(sums))
        found: Integers = histograms.running(sums, starts)
        return found

    def send(self, sums: Array) -> Array:
        """Return the integers."""
        return _wide(sums)


def _wide(numbers: Array) -> Integers:
    return numbers.astype(np.int64)


def _integers(sealed: Array, slots: int) -> Integers:
    if sealed.ndim != 2 or sealed.shape[1] != slots or sealed.dtype not in (np.int32, np.int64):
        raise ValueError(f"sums in the clear must be int32 or int64, sums × {slots}, got {sealed.dtype} {sealed.shape}")
    return sealed
