"""A released bottom model as equations about its inputs, and how such equations of many rows are solved."""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor, nn

from seepage.networks.bottleneck import Bottleneck, Clipped
from seepage.shapes import Array, Floats, Matrix

PIN: Final = 1e6
"""The precision of a value that is known, or held at the end of its range."""

TINY: Final = 1e-12
"""Shorter outputs than this are not clipped."""


@dataclass(frozen=True, eq=False)
class BottomOutputs:
    """What a bottom model makes of values in units of their range, and how that changes with them.

    Parameters
    ----------
    network
        The model up to a last ReLU, in float64; not trained any further.
    rectified
        Whether a ReLU comes behind it: an output of 0 then says that the number before was 0 or less.
    low, width
        The range of every column: the model reads ``low + width * unit``.
    noise
        The variance of what is added to every output on its way, where that is known.
    bound
        Where the model clips rows, the length that they are clipped to.
    unit
        Where the model says how noisy its outputs are: their deviations. The network here gives multiples of these.
    """

    network: nn.Module
    rectified: bool
    low: Floats
    width: Floats
    noise: float = 0.0
    bound: float = math.inf
    unit: Floats | float = 1.0

    @classmethod
    def of(cls, bottom: nn.Module, low: Matrix, width: Matrix) -> "BottomOutputs":
        """Take a last ReLU off, and what clips rows or makes them noisy."""
        network = bottom.double().eval().requires_grad_(requires_grad=False)
        least, wide = np.asarray(low, np.float64), np.asarray(width, np.float64)
        bound = network.bound if isinstance(network, Clipped) else math.inf
        if isinstance(network, Bottleneck):
            _, spread = network.told(torch.from_numpy(least + wide / 2)[None])
            layers = network.under if isinstance(network.under, nn.Sequential) else [network.under]
            scaled = nn.Linear(1, 1, dtype=torch.float64).requires_grad_(requires_grad=False)
            scaled.weight.data = network.mean.weight / spread.T
            scaled.bias.data = network.mean.bias / spread[0]
            return cls(nn.Sequential(*layers, scaled), False, least, wide, noise=1.0, unit=spread[0].numpy())
        if isinstance(network, Clipped):
            network = network.under
        rectified = isinstance(network, nn.Sequential) and len(network) > 0 and isinstance(network[-1], nn.ReLU)
        before = network[:-1] if rectified and isinstance(network, nn.Sequential) else network
        return cls(before, rectified, least, wide, bound=bound)

    def unclipped(self, outputs: Floats, values: Floats) -> Floats:
        """Return outputs as long as they were before they were clipped, if that was as long as these values are.

        >>> bottom = replace(BottomOutputs.of(nn.Identity(), np.zeros(2), np.ones(2)), bound=1.0)
        >>> bottom.unclipped(np.array([[0.6, 0.8]]), np.array([[0.0, 5.0]]))
        array([[3., 4.]])
        """
        if self.bound == math.inf:
            return outputs
        said = np.maximum(values, 0.0) if self.rectified else values
        return np.asarray(outputs * np.maximum(1.0, np.linalg.norm(said, axis=1, keepdims=True) / self.bound))

    def sent(self, units: Floats, rng: Generator) -> Floats:
        """Return what would be sent of some rows: behind a last ReLU, clipped, and as noisy as was heard.

        >>> bottom = replace(BottomOutputs.of(nn.Sequential(nn.ReLU()), np.zeros(2), np.full(2, 5.0)), bound=1.0)
        >>> bottom.sent(np.array([[0.6, 0.8]]), np.random.default_rng(0))
        array([[0.6, 0.8]])
        """
        values, _ = self.at(units)
        said = np.maximum(values, 0.0) if self.rectified else values
        if self.bound < math.inf:
            said = said * np.minimum(1.0, self.bound / np.maximum(np.linalg.norm(said, axis=1, keepdims=True), TINY))
        return np.asarray(said + np.sqrt(self.noise) * rng.normal(size=said.shape))

    def heard(self, outputs: Matrix) -> "BottomOutputs":
        """Say how noisy outputs are that came, where a ReLU tells: what is below 0 is noise alone.

        >>> bottom = BottomOutputs.of(nn.Sequential(nn.Linear(1, 2), nn.ReLU()), np.zeros(1), np.ones(1))
        >>> bottom.heard(np.array([[0.0, 3.0]])).noise, bottom.heard(np.array([[-0.5, 3.0], [0.5, -0.1]])).noise
        (0.0, 0.13)
        """
        below = outputs[outputs < 0]
        return replace(self, noise=float(np.mean(below**2))) if self.rectified and len(below) else self

    def linear(self) -> tuple[Floats, Floats] | None:
        """Return weights and intercept in units, outputs by columns; None where the model is not linear.

        >>> layer = nn.Sequential(nn.Linear(2, 1, bias=False))
        >>> _ = nn.init.constant_(layer[0].weight, 3.0)
        >>> BottomOutputs.of(layer, np.array([1.0, 0.0]), np.array([2.0, 1.0])).linear()
        (array([[6., 3.]]), array([3.]))
        """
        layers = list(self.network) if isinstance(self.network, nn.Sequential) else [self.network]
        if (
            self.rectified
            or self.noise
            or self.bound < math.inf
            or not all(isinstance(layer, nn.Linear | nn.Identity) for layer in layers)
        ):
            return None
        values, slopes = self.at(np.zeros((1, len(self.low))))
        return slopes[0], values[0]

    def at(self, units: Floats) -> tuple[Floats, Floats]:
        """Return the outputs of some rows, before a last ReLU, and their derivatives: rows by outputs by columns."""
        layers = list(self.network) if isinstance(self.network, nn.Sequential) else [self.network]
        if all(isinstance(layer, nn.Linear | nn.ReLU | nn.Identity) for layer in layers):
            return self._by_hand(layers, units)
        low, width = torch.from_numpy(self.low), torch.from_numpy(self.width)

        def outputs(row: Tensor) -> tuple[Tensor, Tensor]:
            said: Tensor = self.network((low + width * row)[None])[0]
            return said, said

        slopes, values = torch.func.vmap(torch.func.jacrev(outputs, has_aux=True))(torch.from_numpy(units))
        return values.numpy(), slopes.numpy()

    def _by_hand(self, layers: list[nn.Module], units: Floats) -> tuple[Floats, Floats]:
        """Follow fully connected layers, many times faster than a general derivative."""
        values, slopes = self.low + self.width * units, np.diag(self.width)[None]
        gates: Floats | None = None
        for layer in layers:
            if isinstance(layer, nn.Linear):
                weights = layer.weight.numpy()
                values = values @ weights.T + (0.0 if layer.bias is None else layer.bias.numpy())
                slopes, gates = _through(weights, slopes, gates), None
            elif isinstance(layer, nn.ReLU):
                slopes, gates = _gated(slopes, gates), (values > 0).astype(np.float64)
                values = np.maximum(values, 0.0)
        slopes = _gated(slopes, gates)
        return values, np.broadcast_to(slopes, (len(units), *slopes.shape[1:]))


def _gated(slopes: Floats, gates: Floats | None) -> Floats:
    """Return the derivatives behind gates that are open or closed: rows by units."""
    return slopes if gates is None else slopes * gates[:, :, None]


def _through(weights: Floats, slopes: Floats, gates: Floats | None) -> Floats:
    """Return the derivatives behind a linear layer.

    Where all rows had the same before the gates, those of one row are a sum over the gates that are open for
    it: for all rows one product of matrices.
    """
    if gates is None or len(slopes) > 1:
        return np.asarray(weights @ _gated(slopes, gates))
    paths = weights.T[:, :, None] * slopes[0][:, None, :]
    return np.asarray((gates @ paths.reshape(len(paths), -1)).reshape(len(gates), *paths.shape[1:]))


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
