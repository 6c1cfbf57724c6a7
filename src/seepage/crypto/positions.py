"""Checks on positions, for code that would otherwise read or write past the end of an array."""

import numpy as np

from seepage.shapes import Array, Integers


def check_positions(positions: Integers, length: int) -> None:
    """Refuse positions outside of a vector.

    >>> check_positions(np.array([0, 3]), length=3)
    Traceback (most recent call last):
        ...
    ValueError: positions must be from 0 to 2, got 0 to 3
    """
    if positions.ndim != 1:
        raise ValueError(f"positions must be a plain vector, got shape {positions.shape}")
    if positions.size and not 0 <= positions.min() <= positions.max() < length:
        raise ValueError(f"positions must be from 0 to {length - 1}, got {positions.min()} to {positions.max()}")


def check_starts(starts: Integers, length: int) -> None:
    """Refuse group boundaries that go backwards or leave the vector."""
    if starts.ndim != 1 or not starts.size:
        raise ValueError(f"starts must be a vector of one or more positions, got shape {starts.shape}")
    if starts[0] < 0 or starts[-1] > length or np.any(starts[1:] < starts[:-1]):
        raise ValueError(f"starts must rise from 0 or more to {length} or less")


def check_blocks(starts: Integers, length: int) -> None:
    """Refuse blocks that do not cover a vector from its beginning."""
    check_starts(starts, length)
    if starts[0] != 0:
        raise ValueError(f"the first block must start at 0, got {starts[0]}")


def check_codes(codes: Array, rows: int, bins: int) -> None:
    """Refuse bins that do not exist.

    >>> check_codes(np.array([[0, 4]], dtype=np.uint8), rows=1, bins=4)
    Traceback (most recent call last):
        ...
    ValueError: codes must be below the number of bins, 4, got 4
    """
    if codes.ndim != 2 or len(codes) != rows or codes.dtype not in (np.uint8, np.uint16):
        raise ValueError(
            f"codes must be {rows} rows of uint8 or uint16, one for each sealed row, got {codes.dtype} {codes.shape}"
        )
    if codes.size and codes.max() >= bins:
        raise ValueError(f"codes must be below the number of bins, {bins}, got {codes.max()}")
