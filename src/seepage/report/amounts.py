"""How much an advantage is, in words."""

from typing import Final

from seepage.report.scenes import NOTICEABLE

LEVELS: Final = ((0.9, "all"), (0.5, "much"), (0.2, "some"), (NOTICEABLE, "little"))
NOUNS: Final = {"features": "feature values"}


def level(advantage: float) -> str:
    """Return the word that the color and the sentence go by.

    >>> [level(value) for value in (1.0, 0.5, 0.2, 0.05, 0.04)]
    ['all', 'much', 'some', 'little', 'none']
    """
    return next((name for least, name in LEVELS if advantage >= least), "none")
