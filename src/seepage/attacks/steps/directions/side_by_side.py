"""Spaces in which rows lie, and several of them laid side by side."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from seepage.learners.linear_rules import size
from seepage.shapes import Array, Matrix


class Space(Protocol):
    """A few numbers for each row that stand for all of its gradients."""

    def coordinates(self, values: Matrix) -> Array:
        """Return where rows lie: rows by components; a row that was never heard lies at 0."""
        ...


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Several spaces at once, each brought to the same size.

    Parameters
    ----------
    spaces, sizes
        The spaces, and how long their points usually are.
    """

    spaces: tuple[Space, ...]
    sizes: tuple[float, ...]

    @classmethod
    def of(cls, spaces: tuple[Space, ...], values: Matrix) -> "SideBySide":
        """Measure the spaces on some rows, and lay them side by side."""
        return cls(spaces, tuple(size(space.coordinates(values)) for space in spaces))

    def coordinates(self, values: Matrix) -> Array:
        """Return where rows lie: rows by the components of all spaces."""
        pairs = zip(self.spaces, self.sizes, strict=True)
        return np.hstack([space.coordinates(values) / usual for space, usual in pairs])
