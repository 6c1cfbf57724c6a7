"""Columns learned from a few rows whose values are known."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from seepage.shapes import Array, Floats, Matrix

PENALTIES: Final = np.concatenate((np.logspace(3, -6, 19), [1e-10, 1e-14]))
"""The penalties that a regression chooses from, inputs being of mean square 1; at a tie the largest wins."""
NARROWNESS: Final = (0.0, 0.1, 0.3)
"""Of the kernels to choose from: 0 is linear, others are how fast likeness fades with squared distance."""
SHARES: Final = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
"""How much of a kernel the second of two blocks of inputs may make up."""
LEAST_VARIANCE: Final = 1e-3
"""Added to the variance of every column where errors of columns are compared: nearly constant ones count less."""
MOST_SOUNDED: Final = 2000
"""About how many of the rows to be told show in which directions inputs vary."""
ROUNDING: Final = 10 * np.finfo(np.float64).eps
"""Singular values below this share of the largest, times the longer side of a matrix, are rounding."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """What is learned from: one block of columns, of the known rows and of the rows to be told.

    Parameters
    ----------
    known, others
        Rows by columns, in one scale; the mean square length of all rows together is 1.
    """

    known: Floats
    others: Floats

    @classmethod
    def scaled(cls, known: Matrix, others: Matrix) -> "Inputs":
        """Put the mean of all rows at 0 and scale the block as a whole."""
        together = np.concatenate((known, others)).astype(np.float64)
        together -= together.mean(axis=0)
        length = np.sqrt(np.einsum("ij,ij->", together, together) / max(1, len(together)))
        together /= length if length > 0 else 1.0
        return cls(together[: len(known)], together[len(known) :])

    @classmethod
    def standardized(cls, known: Matrix, others: Matrix) -> "Inputs":
        """Scale every column by itself first; those that do not vary are left out."""
        together = np.concatenate((known, others)).astype(np.float64)
        spread = together.std(axis=0)
        varying = spread > 1e-9
        together = together[:, varying] / spread[varying]
        return cls.scaled(together[: len(known)], together[len(known) :])

    def whitened(self) -> "Inputs | None":
        """Return principal components of equal length, where the known rows outnumber them by two; None otherwise.

        Columns that are linear in the inputs are then found exactly, however
        unequal the lengths of the components were.
        """
        count = len(self.known)
        some = np.concatenate((self.known, self.others[:: max(1, len(self.others) // MOST_SOUNDED)]))
        if min(some.shape) == 0:
            return None
        _, values, directions = np.linalg.svd(some, full_matrices=False)
        rank = int(np.sum(values > values[0] * max(some.shape) * ROUNDING))
        if not 0 < rank <= count - 2:
            return None
        along = directions[:rank].T
        left, _, _ = np.linalg.svd(np.concatenate((self.known @ along, self.others @ along)), full_matrices=False)
        return Inputs.scaled(left[:count], left[count:])

    def likeness(self, rows: Floats, narrowness: float) -> Floats:
        """Return how like the known rows some rows are: inner products, or what fades with distance."""
        products = rows @ self.known.T
        if not narrowness:
            return np.asarray(products)
        squares = np.einsum("ij,ij->i", rows, rows)[:, None] + np.einsum("ij,ij->i", self.known, self.known)
        return np.asarray(np.exp(-narrowness * (squares - 2 * products)))


@dataclass(frozen=True, eq=False)
class _Kernel:
    """One way to compare rows: blocks of inputs, each with its weight."""

    blocks: tuple[tuple[Inputs, float], ...]
    narrowness: float

    @cached_property
    def known(self) -> Floats:
        """Known rows by known rows."""
        return np.asarray(sum(weight * block.likeness(block.known, self.narrowness) for block, weight in self.blocks))

    @property
    def others(self) -> Floats:
        """Rows to be told by known rows."""
        return np.asarray(sum(weight * block.likeness(block.others, self.narrowness) for block, weight in self.blocks))


@dataclass(frozen=True, eq=False)
class _Fit:
    """A kernel, taken apart so that every penalty is at hand."""

    kernel: _Kernel
    vectors: Floats
    values: Floats
    units: Floats

    @classmethod
    def of(cls, kernel: _Kernel, units: Floats, aside: Floats) -> "_Fit":
        """Take the kernel apart, the mean of the known rows aside: it is not penalized."""
        values, vectors = np.linalg.eigh(aside.T @ kernel.known @ aside)
        return cls(kernel, aside @ vectors, np.maximum(values, 0.0), units)

    @cached_property
    def along(self) -> Floats:
        """The known values along the directions of the kernel."""
        return np.asarray(self.vectors.T @ self.units)

    @property
    def left_out(self) -> Floats:
        """For each penalty and column, the mean squared error on known rows, each left out in its turn.

        Leaving row *i* out moves its residual to that residual over :math:`1 - h_{ii}`; both are computed from
        what the penalty leaves over, so that next to no penalty needs no care.
        """
        weights = 1 / (self.values + PENALTIES[:, None])
        residuals = self.vectors @ (weights[:, :, None] * self.along)
        shares = weights @ (self.vectors**2).T
        return np.asarray(((residuals / shares[:, :, None]) ** 2).mean(axis=1))

    def told(self, penalty: float, columns: Array) -> Floats:
        """Return what is said of some columns of the rows to be told."""
        coefficients = self.vectors @ (self.along[:, columns] / (self.values + penalty)[:, None])
        return np.asarray(
            self.units[:, columns].mean(axis=0) + (self.kernel.others - self.kernel.known.mean(axis=0)) @ coefficients
        )


def regressed(inputs: Matrix, units: Matrix, others: Matrix) -> tuple[Array, float]:
    """Learn every column from one block of inputs; return what is said of other rows, and the leave-one-out error.

    Parameters
    ----------
    inputs, units
        Of the known rows: what is learned from, and the values of the columns between 0 and 1.
    others
        What is learned from, of the rows to be told.

    Examples
    --------
    >>> told, error = regressed(np.array([[0.0], [1.0], [2.0], [4.0]]), np.array([[0.1], [0.2], [0.3], [0.5]]),
    ...                         np.array([[3.0]]))
    >>> told.round(3)
    array([[0.4]])
    """
    return learned((Inputs.standardized(inputs, others),), units)


def learned(blocks: Sequence[Inputs], units: Matrix) -> tuple[Array, float]:
    r"""Learn every column from one or two blocks of inputs by kernel ridge regression.

    For each column, with :math:`K` one of a few kernels and :math:`\lambda` one of a few penalties,

    .. math:: \hat x(z) = \bar x + \sum_i \alpha_i \, K(z, z_i), \quad
        \alpha = (K + \lambda I)^{-1} (x - \bar x),

    over the known rows *i*, the mean aside. A linear kernel makes it ridge
    regression. Kernel and penalty are chosen by leave-one-out on the known
    rows: by the error of the column itself plus the mean of all columns, each
    in units of its variance, since a few rows alone decide badly on one column.

    Parameters
    ----------
    blocks
        What is learned from. Of two blocks the second may be left out, may stand alone, or anything between.
    units
        Known rows by columns.

    Returns
    -------
    tuple
        What is said of the other rows, between 0 and 1, and the mean leave-one-out error of what was chosen.
    """
    known = np.asarray(units, dtype=np.float64)
    aside = _beside_the_mean(len(known))
    fits = [_Fit.of(kernel, known, aside) for kernel in _kernels(blocks)]
    errors = np.array([fit.left_out for fit in fits])
    compared = errors / (known.var(axis=0) + LEAST_VARIANCE)
    compared = (compared + compared.mean(axis=2, keepdims=True)).reshape(-1, known.shape[1])
    chosen = compared.argmin(axis=0)
    told = np.empty((len(blocks[0].others), known.shape[1]))
    for choice in np.unique(chosen):
        place, penalty = divmod(int(choice), len(PENALTIES))
        columns = np.flatnonzero(chosen == choice)
        told[:, columns] = fits[place].told(PENALTIES[penalty], columns)
    error = errors.reshape(-1, known.shape[1])[chosen, np.arange(known.shape[1])]
    return np.clip(told, 0.0, 1.0), float(error.mean())


def _beside_the_mean(count: int) -> Floats:
    """Return directions among so many rows that are at right angles to each other and to their mean."""
    return np.asarray(np.linalg.qr(np.column_stack((np.ones(count), np.eye(count)[:, 1:])))[0][:, 1:])


def _kernels(blocks: Sequence[Inputs]) -> list[_Kernel]:
    """Return the kernels to choose from, the plainest first."""
    first, *second = blocks
    shares = SHARES if second else (0.0,)
    kernels = [
        _Kernel(
            tuple((block, weight) for block, weight in zip(blocks, (1 - share, share), strict=False) if weight), narrow
        )
        for narrow in NARROWNESS
        for share in shares
    ]
    whitened = first.whitened()
    return [*kernels, *([_Kernel(((whitened, 1.0),), 0.0)] if whitened is not None else [])]
