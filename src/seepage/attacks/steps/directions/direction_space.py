"""A few numbers for each row that stand for the directions of all its gradients."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.attacks.steps.directions.returned_gradients import directions
from seepage.shapes import Array, Matrix

CHUNK: Final = 4096
"""For how many rows to solve at a time."""
NEGLIGIBLE: Final = 1e-9
"""The share of all variance below which a component is rounding."""


@dataclass(frozen=True, eq=False)
class DirectionSpace:
    r"""Main components of the directions of all epochs, which also speak for rows that were silent in some of them.

    Directions of row *i* in epoch *t* are taken for :math:`u_{it} = V_t z_i` plus noise.
    The coordinates are the ridge regression on the epochs in which the row was heard,

    .. math:: z_i = \Bigl( \sum_{t \in T_i} V_t^\top V_t + \Lambda \Bigr)^{-1} \sum_{t \in T_i} V_t^\top u_{it},

    so that a row heard twice lies where it would lie had it been heard always. This
    is what principal components with missing values are; without silence it is a projection.

    Parameters
    ----------
    power
        The power of its length by which each gradient is divided.
    scale
        By how much they are divided then.
    basis
        Epochs by numbers by components.
    penalty
        The variance of the noise over that of each component.
    """

    power: float
    scale: float
    basis: Array
    penalty: Array

    def coordinates(self, values: Matrix) -> Array:
        """Return where rows lie: rows by components; a row that was never heard lies at 0."""
        found = np.empty((len(values), len(self.penalty)))
        blocks = np.einsum("twc,twd->tcd", self.basis, self.basis)
        for start in range(0, len(values), CHUNK):
            even = directions(values[start : start + CHUNK], self.power) / self.scale
            heard = (even != 0).any(axis=2)
            told = even.reshape(len(even), -1) @ self.basis.reshape(-1, len(self.penalty))
            if not heard.all():
                grams = np.tensordot(heard.astype(np.float64), blocks, axes=1) + np.diag(self.penalty)
                told = np.linalg.solve(grams, told[:, :, None])[:, :, 0]
            found[start : start + CHUNK] = told
        return found


def direction_space(values: Matrix, power: float, components: int) -> DirectionSpace:
    """Find the main components of directions; epochs are compared on rows that were heard in both.

    Rows of two classes, pulled opposite ways; the second was not heard in the second epoch:

    >>> values = np.array([[[0.2, 0.0], [0.0, 0.3]], [[-0.1, 0.0], [0.0, 0.0]], [[-0.4, 0.0], [0.0, -0.1]]])
    >>> np.sign(direction_space(values, 1.0, 1).coordinates(values)[:, 0] * -1).astype(int).tolist() in (
    ...     [1, -1, -1], [-1, 1, 1])
    True
    """
    (space,) = direction_spaces(values, power, (components,))
    return space


def direction_spaces(values: Matrix, power: float, components: Sequence[int]) -> tuple[DirectionSpace, ...]:
    """Find spaces of several numbers of components at once: the smaller ones are the beginnings of the largest."""
    rows, epochs, width = values.shape
    even = directions(values, power)
    heard = (even != 0).any(axis=2).astype(np.float64)
    scale = float(np.sqrt((even**2).sum() / max(1.0, heard.sum()))) or 1.0
    flat = even.reshape(rows, -1) / scale
    together = np.maximum(heard.T @ heard, 1.0)
    moments = flat.T @ flat / np.repeat(np.repeat(together, width, axis=0), width, axis=1)
    variances, vectors = np.linalg.eigh(moments)
    total = float(np.maximum(variances, 0.0).sum())
    above = max(1, int(np.count_nonzero(variances > NEGLIGIBLE * total)))
    spaces = []
    for kept in (min(wanted, above) for wanted in components):
        main, basis = variances[::-1][:kept], vectors[:, ::-1][:, :kept]
        noise = max((total - main.sum()) / max(1, epochs * width - kept), NEGLIGIBLE * total)
        spaces.append(DirectionSpace(power, scale, basis.reshape(epochs, width, kept), noise / main))
    return tuple(spaces)
