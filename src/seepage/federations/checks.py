"""Numbers that no federation can be built with."""

import math


def check_counts(**counts: int) -> None:
    """Refuse lengths and sizes of nothing.

    >>> check_counts(epochs=0)
    Traceback (most recent call last):
        ...
    ValueError: epochs must be 1 or more, got 0
    """
    for name, count in counts.items():
        if count < 1:
            raise ValueError(f"{name} must be 1 or more, got {count}")


def check_widths(**widths: tuple[int, ...]) -> None:
    """Refuse layers without neurons.

    >>> check_widths(hidden=(8, 0))
    Traceback (most recent call last):
        ...
    ValueError: hidden must be widths of 1 or more, got (8, 0)
    """
    for name, values in widths.items():
        if any(width < 1 for width in values):
            raise ValueError(f"{name} must be widths of 1 or more, got {values}")


def check_shares(**shares: float) -> None:
    """Refuse a share that is none.

    >>> check_shares(row_sample=1.5)
    Traceback (most recent call last):
        ...
    ValueError: row_sample must be above 0 and at most 1, got 1.5
    """
    for name, share in shares.items():
        if not 0 < share <= 1:
            raise ValueError(f"{name} must be above 0 and at most 1, got {share}")


def check_not_negative(**values: float) -> None:
    """Refuse negative or infinite strengths.

    >>> check_not_negative(l2=-1)
    Traceback (most recent call last):
        ...
    ValueError: l2 must be 0 or more and finite, got -1
    """
    for name, value in values.items():
        if not 0 <= value < math.inf:
            raise ValueError(f"{name} must be 0 or more and finite, got {value}")
