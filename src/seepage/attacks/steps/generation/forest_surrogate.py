"""A network that stands in for a forest, since one can be differentiated and the other cannot."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor, nn

from seepage.networks.architectures import Dense
from seepage.networks.optimizers import forget_gradients
from seepage.shapes import Array, Matrix
from seepage.trees.voting import Release, combined
from seepage.trees.whole_tree import WholeTree

BATCH: Final = 256
Dummies: TypeAlias = Literal["own-rows", "whole-space"]


@dataclass(frozen=True, kw_only=True)
class SurrogateSettings:
    """How the network in a forest's place is made.

    Parameters
    ----------
    dummies, dummy_rows
        What the made-up rows look like (`dummy_units`), and how many there are.
    hidden, steps, learning_rate
        The network's hidden widths, and how many steps of Adam, each over 256
        rows, it is trained for; the rate falls to 0 along half a cosine.
    """

    dummies: Dummies = "own-rows"
    dummy_rows: int = 40_000
    hidden: tuple[int, ...] = (500, 200)
    steps: int = 400
    learning_rate: float = 3e-3


class Surrogate(nn.Module):
    """Fully connected layers over all columns, with a softmax at the end, since what a forest says adds up to one.

    >>> round(Surrogate(columns=4, classes=3, hidden=(8,))(torch.zeros(1, 4)).sum().item(), 4)
    1.0
    """

    def __init__(self, columns: int, classes: int, hidden: tuple[int, ...]) -> None:
        super().__init__()
        self.layers = Dense(columns, hidden, classes).build()

    def forward(self, units: Tensor) -> Tensor:
        """Return confidences."""
        return torch.softmax(self.layers(units), dim=1)


def forest_says(trees: Sequence[WholeTree], release: Release, columns: Matrix) -> Matrix:
    """Return what a forest releases about rows of all encoded columns."""
    return combined([tree.values[tree.leaf_of(columns)] for tree in trees], release)


def dummy_units(own: Matrix, known: Array, columns: int, rows: int, kind: Dummies, rng: Generator) -> Matrix:
    """Make up rows of all columns, in units of each column's range.

    Parameters
    ----------
    own, known
        Known columns of real rows, and their places among all columns.
    columns, rows
        How many of each are wanted.
    kind
        ``own-rows``: real values in the known columns, uniform ones in the
        others; ``whole-space``: uniform ones throughout, as in paper 002.

    Examples
    --------
    >>> own, known = np.array([[0.25], [0.75]]), np.array([1])
    >>> made_up = dummy_units(own, known, 3, 4, "own-rows", np.random.default_rng(0))
    >>> made_up.shape, sorted(made_up[:, 1].tolist())
    ((4, 3), [0.25, 0.25, 0.75, 0.75])
    """
    units = rng.random((rows, columns))
    if kind == "own-rows":
        units[:, known] = own[rng.permutation(np.arange(rows) % len(own))]
    return units


def train_surrogate(units: Tensor, said: Tensor, settings: SurrogateSettings) -> Surrogate:
    """Fit a network to what a forest said of some rows, by squared error (paper 002, §V-B).

    >>> _ = torch.manual_seed(0)
    >>> units = torch.rand(2000, 2)
    >>> said = torch.stack((units[:, 0] < 0.5, units[:, 0] >= 0.5), dim=1).float()
    >>> network = train_surrogate(units, said, SurrogateSettings(steps=200, hidden=(50, 20)))
    >>> network(torch.tensor([[0.1, 0.5], [0.9, 0.5]])).argmax(dim=1)
    tensor([0, 1])
    """
    network = Surrogate(units.shape[1], said.shape[1], settings.hidden).to(units.device)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate, fused=True)
    batch = min(BATCH, len(units))
    order = torch.zeros(0, dtype=torch.int64)
    for step in range(settings.steps):
        for group in optimizer.param_groups:
            group["lr"] = settings.learning_rate * (1 + math.cos(math.pi * step / settings.steps)) / 2
        if len(order) < batch:
            order = torch.randperm(len(units))
        rows, order = order[:batch].to(units.device), order[batch:]
        loss = (network(units[rows]) - said[rows]).square().sum(dim=1).mean()
        forget_gradients(optimizer)
        torch.autograd.backward([loss])
        optimizer.step()
    return network.requires_grad_(requires_grad=False).eval()
