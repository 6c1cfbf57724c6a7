"""How much an advantage is: the one scale by which terminal, page and gate speak."""

from typing import Final

NOTICEABLE: Final = 0.05
"""The advantage from which on something was learned."""
TOLERABLE: Final = 0.2
"""The advantage up to which a defense is said to suffice, and up to which a few rows may be given away."""
LEVELS: Final = ((0.9, "all"), (0.5, "much"), (TOLERABLE, "some"), (NOTICEABLE, "little"))


def level(advantage: float) -> str:
    """Return the word that colors and sentences go by.

    >>> [level(value) for value in (1.0, 0.5, 0.2, 0.05, 0.04)]
    ['all', 'much', 'some', 'little', 'none']
    """
    return next((name for least, name in LEVELS if advantage >= least), "none")
