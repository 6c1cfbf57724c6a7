"""How strong a row is in each main direction of its gradients, whichever way it is pulled."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.shapes import Array, Mask, Matrix

FLOOR: Final = 1e-3
"""Strengths below this share of the mean are as good as none."""
BANDS: Final = 32
"""Of so many bands of directions the strength is told, at most."""


@dataclass(frozen=True, eq=False)
class StrengthSpace:
    r"""The mean logarithm, over epochs, of how strong a row is in each main direction of an epoch.

    With the main directions :math:`v_{tk}` of epoch *t*, strongest first, the mean square :math:`m_{tk}` along each
    and a small *f*,

    .. math:: z_{ik} = \frac{1}{|T_i|} \sum_{t \in T_i} \log\Bigl(\frac{(v_{tk}^\top g_{it})^2}{m_{tk}} + f\Bigr).

    No sign counts, and noise whose *power* differs between classes shows: directions in which gradients hardly vary
    are quiet for rows that are not noised there.

    Parameters
    ----------
    axes
        Epochs by numbers by directions, each divided by the root of its mean square; 0 where there is nothing.
    usual
        What rows have in the mean.
    """

    axes: Array
    usual: Array

    def coordinates(self, values: Matrix) -> Array:
        """Return where rows lie: rows by bands of directions; a row that was never heard lies at 0."""
        heard: Mask = np.asarray((values != 0).any(axis=2))
        told = np.zeros((len(values), self.axes.shape[2]))
        for epoch, axes in enumerate(self.axes):
            told += np.where(heard[:, [epoch]], np.log(np.square(values[:, epoch] @ axes) + FLOOR), 0.0)
        told /= np.maximum(heard.sum(axis=1, keepdims=True), 1)
        bands = [band.mean(axis=1) for band in np.array_split(told, min(BANDS, told.shape[1]), axis=1)]
        return np.asarray(np.where(heard.any(axis=1, keepdims=True), np.stack(bands, axis=1) - self.usual, 0.0))


def strength_space(values: Matrix) -> StrengthSpace:
    """Find the main directions of each epoch, and how strong rows are in each.

    Half of the rows are noised across the line on which all are pulled:

    >>> values = np.array([[[1.0, 0.0]], [[-1.0, 0.0]], [[1.0, 0.1]], [[1.0, -0.1]]])
    >>> strength_space(values).coordinates(values).round(1).tolist()
    [[0.0, -3.8], [0.0, -3.8], [0.0, 3.8], [0.0, 3.8]]
    """
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    found = np.zeros((values.shape[1], values.shape[2], values.shape[2]))
    for epoch in range(values.shape[1]):
        speaking = values[:, epoch][values[:, epoch].any(axis=1)] / largest  # tiny numbers have no squares
        squares, axes = np.linalg.eigh(speaking.T.astype(np.float64) @ speaking / max(1, len(speaking)))
        squares, axes = squares[::-1], axes[:, ::-1]
        there = squares > 1e-12 * squares.max(initial=0.0)
        found[epoch] = np.where(there, axes / np.sqrt(np.where(there, squares, 1.0)), 0.0) / largest
    plain = StrengthSpace(found, np.zeros(min(BANDS, values.shape[2])))
    return StrengthSpace(found, plain.coordinates(values).mean(axis=0))
