"""The line on which a row is pulled, whichever way along it."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.attacks.steps.directions.direction_space import DirectionSpace, direction_spaces, directions
from seepage.shapes import Array, Matrix

MOST_PRODUCTS: Final = 720
"""How many products of two numbers are kept of a row, all epochs together."""
CHUNK: Final = 4096
"""Of how many rows the products are made at a time."""


@dataclass(frozen=True, eq=False)
class LineSpace:
    r"""Main components of the lines of all epochs.

    Of the direction :math:`u_{it}` in the strongest directions of its epoch, all products
    :math:`u_{itj} u_{itk}` are taken, which are the same for :math:`-u_{it}`: they say on which line a row is pulled.
    Noise along a row's own line may turn it around but never moves it off its line, and with three classes or more
    lines differ between classes.

    Parameters
    ----------
    axes
        Epochs by numbers by strongest directions.
    products
        The space in which their products lie.
    """

    axes: Array
    products: DirectionSpace

    def coordinates(self, values: Matrix) -> Array:
        """Return where rows lie: rows by components; a row that was never heard lies at 0."""
        starts = range(0, max(1, len(values)), CHUNK)
        parts = (values[start : start + CHUNK] for start in starts)
        return np.concatenate([self.products.coordinates(_products(part, self.axes)) for part in parts])


def line_space(values: Matrix, components: int) -> LineSpace:
    """Find the lines on which rows are pulled, and the main components of these.

    Rows that are pulled opposite ways lie in one place, those that are pulled at a right angle to them elsewhere:

    >>> values = np.array([[[0.2, 0.2]], [[-0.1, -0.1]], [[0.3, -0.3]], [[-0.5, 0.5]]])
    >>> places = line_space(values, 2).coordinates(values).round(3)
    >>> bool((places[0] == places[1]).all()), bool((places[2] == places[3]).all()), bool((places[0] == places[2]).all())
    (True, True, False)
    """
    _, epochs, width = values.shape
    kept = max(1, min(width, int(np.sqrt(2 * MOST_PRODUCTS / epochs + 0.25) - 0.5)))  # of k directions k (k + 1) / 2
    even = directions(values)
    axes = np.stack([np.linalg.eigh(even[:, epoch].T @ even[:, epoch])[1][:, -kept:] for epoch in range(epochs)])
    (products,) = direction_spaces(_products(values, axes), 1.0, (components,))
    return LineSpace(axes, products)


def _products(values: Matrix, axes: Array) -> Array:
    turned = directions(np.einsum("ntw,twk->ntk", values, axes))
    one, other = np.triu_indices(turned.shape[2])
    return np.asarray(turned[:, :, one] * turned[:, :, other] * np.where(one == other, 1.0, np.sqrt(2)))
