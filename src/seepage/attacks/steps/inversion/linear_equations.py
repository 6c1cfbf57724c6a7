"""What confidences of a linear model say about its inputs: linear equations."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from seepage.errors import IncompatibleView
from seepage.shapes import Array, Integers, Matrix, Rows
from seepage.views.joint_columns import RangedColumns
from seepage.views.released import joint_network
from seepage.views.view import View

if TYPE_CHECKING:
    from seepage.networks.joint_network import JointNetwork

NEGLIGIBLE: Final = 1e-12
"""Singular values below this share of the largest count as zero."""
SMALLEST: Final = 1e-300
"""What stands in for a confidence of 0 that was not rounded: float64 ends soon below."""


@dataclass(frozen=True, eq=False)
class LinearLogits:
    """Logits that are linear in all encoded columns.

    Parameters
    ----------
    weights
        Logits by columns.
    intercept
        One number for each logit.
    """

    weights: Matrix
    intercept: Matrix


@dataclass(frozen=True, eq=False)
class LinearEquations:
    r"""Equations :math:`\Theta u = a` about the unknown columns, one set for each row.

    Parameters
    ----------
    matrix
        :math:`\Theta`, equations by unknown columns; the same for all rows.
    sides
        Rows by equations: the right-hand sides *a*.
    differences
        Equations by classes: how each equation takes logarithms of confidences together.
    """

    matrix: Matrix
    sides: Matrix
    differences: Matrix

    @property
    def rank(self) -> int:
        """How many of the equations say something new."""
        values = np.linalg.svd(self.matrix, compute_uv=False)
        return int(np.sum(values > NEGLIGIBLE * values.max(initial=0.0)))

    @property
    def exact(self) -> bool:
        """Whether there is no more than one solution."""
        return bool(self.rank == self.matrix.shape[1])

    def facts(self) -> dict[str, float]:
        """Say, before anything is solved, what the equations are worth."""
        count, unknown = self.matrix.shape
        return {
            "equations": float(count),
            "unknown": float(unknown),
            "rank": float(self.rank),
            "exact": float(self.exact),
        }

    def nearest_to_zero(self) -> Matrix:
        r"""Return the least solution :math:`\Theta^+ a` of every row (§IV-A of paper 002)."""
        return np.asarray(self.sides @ np.linalg.pinv(self.matrix, rcond=NEGLIGIBLE).T)


def linear_logits(network: "JointNetwork") -> LinearLogits:
    """Read weights and intercept off a network whose bottom models are linear and are added up.

    >>> import torch
    >>> from torch import nn
    >>> from seepage.networks.heads import Summed
    >>> from seepage.networks.joint_network import JointNetwork
    >>> layers = [nn.Linear(2, 1, bias=False), nn.Linear(1, 1, bias=False)]
    >>> _ = [nn.init.constant_(layer.weight, 2.0) for layer in layers]
    >>> linear_logits(JointNetwork([(layers[0], 2), (layers[1], 1)], Summed(1, intercept=True), 1)).weights
    array([[2., 2., 2.]])
    """
    from torch import nn

    from seepage.networks.heads import Summed

    if not isinstance(network.head, Summed):
        raise ValueError("the head does not add logits up")
    weights: list[Array] = []
    offset: Array = np.zeros(1)
    for bottom in network.bottoms:
        layers = list(bottom) if isinstance(bottom, nn.Sequential) else [bottom]
        if len(layers) != 1 or not isinstance(layers[0], nn.Linear):
            raise ValueError("a bottom model is not linear")
        weights.append(_float64(layers[0].weight))
        offset = offset if layers[0].bias is None else offset + _float64(layers[0].bias)
    whole = np.concatenate(weights, axis=1)
    intercept = network.head.intercept
    offset = offset if intercept is None else offset + _float64(intercept)
    return LinearLogits(whole, np.broadcast_to(offset, len(whole)))


def linear_equations(
    logits: LinearLogits,
    logs: Matrix,
    own: Matrix,
    *,
    known: Integers,
    unknown: Integers,
    low: Matrix,
    width: Matrix,
) -> LinearEquations:
    r"""Write down what logarithms of confidences say about the unknown columns, counted in units of their range.

    With a single logit it is the log-odds of class 1 (Eq. 3 of paper 002);
    otherwise differences of adjacent classes, from which the normalization of
    the softmax is gone (Eq. 8):

    .. math:: x_{adv} (\theta_{adv}^{(k)} - \theta_{adv}^{(k+1)})
        + x_{target} (\theta_{target}^{(k)} - \theta_{target}^{(k+1)}) + b_k - b_{k+1} = \ln v_k - \ln v_{k+1}

    Parameters
    ----------
    logs
        Rows by classes: the logarithm of every confidence.
    own
        Rows by known columns, as the model reads them.
    known, unknown
        The places of the columns.
    low, width
        The range of every column: a value is ``low + width * unit``.
    """
    classes = logs.shape[1]
    differences = np.eye(classes - 1, classes) - np.eye(classes - 1, classes, k=1)
    if len(logits.weights) == 1:  # Eq. 3: one logit, for class 1
        differences, apart = -differences, np.eye(1)
    else:
        apart = differences
    weights, intercept = apart @ logits.weights, apart @ logits.intercept
    given = own.astype(np.float64) @ weights[:, known].T + intercept + weights[:, unknown] @ low[unknown]
    sides = logs @ differences.T - given  # Eq. 8
    return LinearEquations(weights[:, unknown] * width[unknown], sides, differences)


def _float64(tensor: object) -> Array:
    import torch

    assert isinstance(tensor, torch.Tensor)
    return tensor.detach().cpu().numpy().astype(np.float64)


def released_equations(view: View, columns: RangedColumns, rows: Rows, logs: Matrix) -> LinearEquations:
    """Write the equations of some rows down, in units; `logs` are the logarithms of their confidences."""
    try:
        logits = linear_logits(joint_network(view))
    except ValueError as error:
        raise IncompatibleView(f"The released model is not linear: {error}.\nChoose another attack.") from error
    if not np.isfinite(logits.weights).all():
        raise IncompatibleView("The released weights are not numbers.\nRecord the model again.")
    own = columns.own(view, rows)
    if np.isnan(own).any():
        raise IncompatibleView("Own columns have missing values, which no equation can hold.\nFill them (--impute).")
    return linear_equations(
        logits,
        logs,
        own,
        known=columns.known,
        unknown=columns.unknown,
        low=columns.low,
        width=columns.width,
    )
