"""Linear systems of many rows that share most of their matrix."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.shapes import Array, Floats

PIN: Final = 1e6
"""The precision of a value that is known, or held at the end of its range."""


@dataclass(frozen=True, eq=False)
class PinnedSystems:
    r"""The matrices :math:`S^{-1} + D_i + R_i^\top R_i` of all rows, of which the first is shared.

    Parameters
    ----------
    precision
        Columns by columns, or a diagonal.
    pins
        Rows by columns: the diagonals *D*.
    equations
        Rows by equations by columns: *R*.
    """

    precision: Floats
    pins: Floats
    equations: Floats

    def pinned(self, beyond: Array, rows: Array) -> "PinnedSystems":
        """Return the systems of some rows, with some of their values held."""
        return PinnedSystems(self.precision, self.pins[rows] + PIN * beyond, self.equations[rows])

    def over(self, sides: Floats) -> Floats:
        """Solve for one right-hand side for each row."""
        if self.precision.ndim == 2:
            return np.asarray(np.linalg.solve(self._whole(), sides[:, :, None])[:, :, 0])
        diagonal, small, inner = self._woodbury()
        bent = np.linalg.solve(inner, np.einsum("nkd,nd->nk", small, sides)[:, :, None])[:, :, 0]
        return np.asarray(sides / diagonal - np.einsum("nkd,nk->nd", small, bent))

    def spread(self) -> Floats:
        """Return the sum of the inverses; of a diagonal precision, their diagonals alone."""
        if self.precision.ndim == 2:
            return np.asarray(np.linalg.inv(self._whole()).sum(axis=0))
        diagonal, small, inner = self._woodbury()
        lowered = np.einsum("nkd,nkd->nd", small, np.linalg.solve(inner, small))
        return np.diag((1 / diagonal - lowered).sum(axis=0))

    def _whole(self) -> Floats:
        whole = self.precision + self.equations.transpose(0, 2, 1) @ self.equations
        places = np.arange(len(self.precision))
        whole[:, places, places] += self.pins
        return whole

    def _woodbury(self) -> tuple[Floats, Floats, Floats]:
        diagonal = self.precision + self.pins
        small = self.equations / diagonal[:, None, :]
        inner = np.eye(small.shape[1]) + small @ self.equations.transpose(0, 2, 1)
        return diagonal, small, inner
