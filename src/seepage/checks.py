"""Settings that nothing can be built with, refused in one sentence each; None stands for one that was not given."""

import math
from collections.abc import Callable, Mapping
from typing import Any, get_args


def check_least(least: int, **values: float | None) -> None:
    """Refuse what is below the least that makes sense.

    >>> check_least(2, known=1, chunk=None)
    Traceback (most recent call last):
        ...
    ValueError: known must be 2 or more, got 1
    """
    _check(lambda value: value >= least, f"{least} or more", values)


def check_counts(**counts: int) -> None:
    """Refuse lengths and sizes of nothing.

    >>> check_counts(epochs=0)
    Traceback (most recent call last):
        ...
    ValueError: epochs must be 1 or more, got 0
    """
    check_least(1, **counts)


def check_widths(**widths: tuple[int, ...]) -> None:
    """Refuse layers without neurons.

    >>> check_widths(hidden=(8, 0))
    Traceback (most recent call last):
        ...
    ValueError: hidden must be widths of 1 or more, got (8, 0)
    """
    _check(lambda values: all(width >= 1 for width in values), "widths of 1 or more", widths)


def check_layers(**widths: tuple[int, ...]) -> None:
    """Refuse layers without neurons, and no layers at all.

    >>> check_layers(hidden=())
    Traceback (most recent call last):
        ...
    ValueError: hidden must be widths of 1 or more, got ()
    """
    _check(lambda values: min(values, default=0) >= 1, "widths of 1 or more", widths)


def check_shares(**shares: float | None) -> None:
    """Refuse a share that is none.

    >>> check_shares(row_sample=1.5)
    Traceback (most recent call last):
        ...
    ValueError: row_sample must be above 0 and at most 1, got 1.5
    """
    _check(lambda share: 0 < share <= 1, "above 0 and at most 1", shares)


def check_below_one(**shares: float | None) -> None:
    """Refuse a share of which nothing would be left.

    >>> check_below_one(dropout=1.0)
    Traceback (most recent call last):
        ...
    ValueError: dropout must be 0 or more and below 1, got 1.0
    """
    _check(lambda share: 0 <= share < 1, "0 or more and below 1", shares)


def check_not_negative(**values: float) -> None:
    """Refuse negative or infinite strengths.

    >>> check_not_negative(l2=-1)
    Traceback (most recent call last):
        ...
    ValueError: l2 must be 0 or more and finite, got -1
    """
    _check(lambda value: 0 <= value < math.inf, "0 or more and finite", values)


def check_positive(**values: float) -> None:
    """Refuse rates, scales and budgets of nothing, and infinite ones.

    >>> check_positive(epsilon=0.0)
    Traceback (most recent call last):
        ...
    ValueError: epsilon must be above 0 and finite, got 0.0
    """
    _check(lambda value: 0 < value < math.inf, "above 0 and finite", values)


def check_between(low: int, high: int, **values: float) -> None:
    """Refuse what lies outside a range.

    >>> check_between(0, 15, digits=16)
    Traceback (most recent call last):
        ...
    ValueError: digits must be between 0 and 15, got 16
    """
    _check(lambda value: low <= value <= high, f"between {low} and {high}", values)


def check_choice(literal: Any, **values: str) -> None:
    """Refuse what is none of the words that a `Literal` allows.

    >>> from typing import Literal
    >>> check_choice(Literal["spectral", "k-means"], method="best")
    Traceback (most recent call last):
        ...
    ValueError: method must be one of spectral, k-means, got 'best'
    """
    for name, value in values.items():
        if value not in get_args(literal):
            raise ValueError(f"{name} must be one of {', '.join(get_args(literal))}, got {value!r}")


def _check(fits: Callable[[Any], bool], expected: str, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if value is not None and not fits(value):
            raise ValueError(f"{name} must be {expected}, got {value}")
