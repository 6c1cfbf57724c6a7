"""Which columns may split a node, where that is drawn anew for each."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from seepage.shapes import Array, Mask

ROOT: Final = "sqrt"
ColumnsPerSplit: TypeAlias = str | float
"""A share of the columns, or the word for the root of their number."""
ALL_COLUMNS: Final = 1.0


def check_columns_per_split(asked: ColumnsPerSplit) -> None:
    """Refuse what is neither a share nor the word for a root.

    >>> check_columns_per_split("log2")
    Traceback (most recent call last):
        ...
    ValueError: columns_per_split must be sqrt, or a share above 0 and at most 1, got 'log2'
    """
    if asked != ROOT and not (isinstance(asked, float | int) and 0 < asked <= 1):
        raise ValueError(f"columns_per_split must be {ROOT}, or a share above 0 and at most 1, got {asked!r}")


def columns_of_a_split(asked: ColumnsPerSplit, total: int) -> int:
    """Return how many of so many columns a split may choose from: of a root what is whole, as in scikit-learn.

    >>> columns_of_a_split("sqrt", 48), columns_of_a_split(0.25, 48), columns_of_a_split(0.25, 1)
    (6, 12, 1)
    """
    return max(1, math.isqrt(total) if isinstance(asked, str) else round(asked * total))


@dataclass(frozen=True, kw_only=True)
class SplitDraw:
    """One party's part of a draw over the columns of all parties.

    Everybody knows the seed and how many columns everybody has, and so draws
    the same numbers; which column a number stands for, its owner alone knows.

    Parameters
    ----------
    wanted, total
        How many columns a split may choose from, of so many that take part in the tree.
    begin, count
        Which of their numbers are this party's.

    Examples
    --------
    >>> bank = SplitDraw(seed=5, wanted=2, total=6, begin=0, count=3)
    >>> shop = SplitDraw(seed=5, wanted=2, total=6, begin=3, count=3)
    >>> bank.at((0, 0), node=1), shop.at((0, 0), node=1)
    (array([ True, False, False]), array([ True, False, False]))
    """

    seed: int
    wanted: int
    total: int
    begin: int
    count: int

    @property
    def said(self) -> dict[str, Array]:
        """What its owner has to hear, which has counted its columns itself."""
        said = {"seed": self.seed, "wanted": self.wanted, "total": self.total, "begin": self.begin}
        return {name: np.array([number]) for name, number in said.items()}

    @classmethod
    def heard(cls, said: Mapping[str, Array], count: int) -> "SplitDraw":
        """Read what `said` wrote."""
        return cls(**{name: int(number[0]) for name, number in said.items()}, count=count)

    def at(self, tree: tuple[int, int], node: int) -> Mask:
        """Say which of the party's columns may split a node of a tree (round, and number within it)."""
        drawn = np.zeros(self.total, dtype=np.bool_)
        shared = np.random.default_rng((self.seed, *tree, node))
        drawn[shared.choice(self.total, self.wanted, replace=False)] = True
        return drawn[self.begin : self.begin + self.count]
