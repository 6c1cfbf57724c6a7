"""The released model as something that can be differentiated: itself, or a network in a forest's place."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor, nn

from seepage.attacks.steps.generation.generator import FilledModel, completed, confidence_error
from seepage.attacks.steps.generation.generator_settings import Dummies
from seepage.errors import IncompatibleView
from seepage.networks.architectures import Dense
from seepage.networks.backbones import reads_names
from seepage.networks.optimizers import forget_gradients
from seepage.shapes import Array, Matrix, Rows
from seepage.trees.whole_tree import Release, WholeTree, combined
from seepage.views.joint_columns import RangedColumns
from seepage.views.own_bottoms import device_of
from seepage.views.released import joint_network, release_of, whole_trees
from seepage.views.view import View

BATCH: Final = 256
FRESH_ROWS = 2000
"""How many made-up rows a network in a forest's place is checked on."""


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


@dataclass(frozen=True, eq=False)
class DifferentiableModel:
    """A model of some rows whose other columns are to be made up.

    Parameters
    ----------
    completion
        From own and generated values to confidences, in units.
    own
        The own columns of the rows; missing values are ½.
    says
        What the released model itself says of generated values.
    notes
        How good a network in a forest's place is.
    """

    completion: FilledModel
    own: Tensor
    says: Callable[[Matrix], Matrix]
    notes: Mapping[str, float] = field(default_factory=dict)

    def tensor(self, values: Matrix) -> Tensor:
        """Return values in the precision and on the device of the model."""
        return torch.as_tensor(values).to(self.own)


def differentiable_network(view: View, columns: RangedColumns, rows: Rows) -> DifferentiableModel:
    """Put the released parts of a network together, around the own columns of some rows."""
    if reads_names(view.agreement.terms.bottom):
        raise IncompatibleView(
            "The released model reads words, by whose numbers it cannot be differentiated.\n"
            "Choose an attack on labels, or a federation over a table."
        )
    device = device_of(view.agreement)
    completion = FilledModel(
        joint_network(view), columns.known, columns.unknown, columns.low, columns.width, columns.middle[columns.unknown]
    )
    completion = completion.to(device)
    own = torch.as_tensor(_readable(columns.units(columns.own(view, rows), columns.known))).float().to(device)

    def says(units: Matrix) -> Matrix:
        return completed(completion, own, torch.as_tensor(units).to(own)).cpu().numpy().astype(np.float64)

    return DifferentiableModel(completion, own, says)


def differentiable_forest(
    view: View, columns: RangedColumns, rows: Rows, settings: SurrogateSettings, rng: Generator
) -> DifferentiableModel:
    """Train a network to say what the released forest says, around the own columns of some rows (paper 002, §V-B)."""
    trees, release = whole_trees(view), release_of(view)
    if any(tree.grafted.any() for tree in trees):
        raise IncompatibleView(
            "Local models of the active party answer for some leaves of this forest, so votes do not follow from its "
            "thresholds alone.\nChoose a run without grafting."
        )
    encoded = columns.own(view, rows)
    own = columns.units(encoded, columns.known)
    every = np.arange(len(columns.columns))

    def made_up(count: int) -> tuple[Tensor, Tensor]:
        units = dummy_units(own, columns.known, len(every), count, settings.dummies, rng)
        said = forest_says(trees, release, columns.encoded(units, every))
        return torch.as_tensor(_readable(units)).float(), torch.as_tensor(said).float()

    network = train_surrogate(*made_up(settings.dummy_rows), settings)
    fresh, said = made_up(FRESH_ROWS)
    error = confidence_error(network(fresh), said).item()
    spread = said.var(dim=0, correction=0).sum().item()
    low, width, middle = np.zeros(len(every)), np.ones(len(every)), columns.middle[columns.unknown]
    completion = FilledModel(network, columns.known, columns.unknown, low, width, middle)

    def says(units: Matrix) -> Matrix:
        whole = np.empty((len(units), len(every)))
        whole[:, columns.known] = encoded
        whole[:, columns.unknown] = columns.encoded(units, columns.unknown)
        return forest_says(trees, release, whole)

    notes = {"surrogate_error": error, "surrogate_variance": spread}
    return DifferentiableModel(completion, torch.as_tensor(_readable(own)).float(), says, notes)


def _readable(units: Matrix) -> Matrix:
    """Put ½ where a value is missing."""
    return np.nan_to_num(units, nan=0.5)
