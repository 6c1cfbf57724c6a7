"""The released model as something that can be differentiated: itself, or a network in a forest's place."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor

from seepage.attacks.steps.generation.forest_surrogate import (
    SurrogateSettings,
    dummy_units,
    forest_says,
    train_surrogate,
)
from seepage.attacks.steps.generation.generator import FilledModel, completed, confidence_error
from seepage.errors import IncompatibleView
from seepage.shapes import Matrix, Rows
from seepage.views.joint_columns import JointColumns
from seepage.views.released import joint_network, release_of, whole_trees
from seepage.views.snapshots import device_of
from seepage.views.view import View

FRESH_ROWS = 2000
"""How many made-up rows a network in a forest's place is checked on."""


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


def differentiable_network(view: View, columns: JointColumns, rows: Rows) -> DifferentiableModel:
    """Put the released parts of a network together, around the own columns of some rows."""
    if view.agreement.settings.get("bottom") == "transformer":
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
    view: View, columns: JointColumns, rows: Rows, settings: SurrogateSettings, rng: Generator
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
    completion = FilledModel(
        network,
        columns.known,
        columns.unknown,
        np.zeros(len(every)),
        np.ones(len(every)),
        columns.middle[columns.unknown],
    )

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
