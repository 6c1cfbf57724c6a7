"""Gradients without their size."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from seepage.hooks import Defense, Hook, Seam, on_gradient
from seepage.messages import Kind
from seepage.partition import OwnPart
from seepage.shapes import Matrix


@dataclass(frozen=True, kw_only=True)
class SignGradients(Defense):
    r"""Send only the sign of every gradient value, times one number.

    .. math:: \tilde g_{ij} = s \, \mathrm{sign}(g_{ij})

    SignSGD [1]_ applied to the gradients of embeddings, which paper 001, §6.1 found
    "very likely to make a VFL model fail to converge": a row that is already right
    pulls as hard as one that is wrong. It promises nothing against whoever reads
    signs, and without a top model the sign *is* the label.

    Parameters
    ----------
    scale
        :math:`s`, the size of every value that is sent. ``mean`` is the mean size of the
        values of the message: the step then shrinks as the model learns, and the other
        party learns one number for each batch, how far off the model is on it.

    Notes
    -----
    The gradient of a mean loss is about 1 / batch long, so plain signs are far longer than
    what they stand for. That matters to SGD; Adam divides any constant size out again.

    References
    ----------
    .. [1] J. Bernstein et al., "signSGD: Compressed Optimisation for Non-Convex Problems", ICML 2018.
    """

    acts_on = frozenset({Seam.MESSAGE})
    rewrites = frozenset({Kind.GRADIENT})

    scale: float | Literal["mean"] = 1.0

    def __post_init__(self) -> None:
        if self.scale != "mean" and not (isinstance(self.scale, int | float) and 0 < self.scale < math.inf):
            raise ValueError(f"scale must be above 0 and finite, or 'mean', got {self.scale}")

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run; there is nothing to remember."""
        del own_part, rng
        return on_gradient(lambda gradient: signs(gradient, self.scale))


def signs(gradient: Matrix, scale: float | Literal["mean"]) -> Matrix:
    """Return the sign of every value, times one number; 0 stays 0.

    >>> signs(np.array([[0.1, -0.9], [0.0, 0.2]]), scale=1.0)
    array([[ 1., -1.],
           [ 0.,  1.]])
    >>> signs(np.array([[0.1, -0.9], [0.0, 0.2]]), scale="mean")
    array([[ 0.3, -0.3],
           [ 0. ,  0.3]])
    """
    size = np.abs(gradient).mean(dtype=np.float64) if scale == "mean" else scale
    return (np.sign(gradient) * size).astype(gradient.dtype)
