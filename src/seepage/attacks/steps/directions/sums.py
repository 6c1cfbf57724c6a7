"""What all epochs say of a row together, where none of them says much."""

from dataclasses import dataclass

import numpy as np

from seepage.shapes import Array, Mask, Matrix


@dataclass(frozen=True, eq=False)
class SumSpace:
    r"""Main components of the mean gradient of each row, over epochs.

    .. math:: z_i = V^\top \frac{1}{|T_i|} \sum_{t \in T_i} \frac{g_{it}}{\ell_t}

    with :math:`\ell_t` the usual length in epoch *t*. A model that learns turns slowly, so that a class is pulled
    nearly the same way from epoch to epoch: noise that is drawn anew in each averages out, and which way that is need
    not be found out for each epoch by itself, as where epochs have coordinates of their own.

    Parameters
    ----------
    usual
        The usual length of a gradient in each epoch.
    basis
        Numbers by components.
    """

    usual: Array
    basis: Array

    def coordinates(self, values: Matrix) -> Array:
        """Return where rows lie: rows by components; a row that was never heard lies at 0."""
        heard: Mask = np.asarray((values != 0).any(axis=2))
        total = np.einsum("ntw,t->nw", values, 1 / self.usual)
        return np.asarray(total / np.maximum(heard.sum(axis=1, keepdims=True), 1) @ self.basis)


def sum_space(values: Matrix, components: int) -> SumSpace:
    """Find the main components of mean gradients.

    Noise turns a row around in single epochs; all of them together do not:

    >>> values = np.array([[[1.0], [-0.5], [2.0]], [[-2.0], [-1.0], [0.5]]])
    >>> sums = sum_space(values, 1).coordinates(values)[:, 0]
    >>> bool(sums[0] * sums[1] < 0)
    True
    """
    squares = np.square(values.astype(np.float64)).sum(axis=2)
    usual = np.sqrt(squares.sum(axis=0) / np.maximum((squares > 0).sum(axis=0), 1))
    usual = np.where(usual > 0, usual, 1.0)
    plain = SumSpace(usual, np.eye(values.shape[2])).coordinates(values)
    _, axes = np.linalg.eigh(plain.T @ plain)
    return SumSpace(usual, axes[:, ::-1][:, :components])
