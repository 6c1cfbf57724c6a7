"""Gradients that are all equally long, in expectation."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.hooks import Defense, Hook, Seam, on_gradient
from seepage.messages import Kind
from seepage.partition import OwnPart
from seepage.shapes import Matrix


@dataclass(frozen=True, kw_only=True)
class MaxNorm(Defense):
    r"""Stretch each gradient along its own line by chance, so that no length says how wrong the model is.

    The heuristic *max_norm* of [1]_, §4.1. Row *i* of a batch is sent

    .. math:: \tilde g_i = g_i + \eta_i \, g_i, \qquad
              \eta_i \sim \mathcal N\!\left(0, \frac{\max_j \lVert g_j \rVert^2}{\lVert g_i \rVert^2} - 1\right),

    so that :math:`\mathbb E \lVert \tilde g_i \rVert^2 = \max_j \lVert g_j \rVert^2` for every row. It is aimed at
    whoever compares lengths.

    It promises nothing. Every row stays on its own line, and which side of it a row is sent on tells its class with
    probability :math:`\Phi(1 / \sigma_i)` in each epoch: with certainty for the longest, and nearly so for all of them
    at the beginning of training, when all are about equally long. A gradient of 0 stays 0. The active party's own
    models learn from clear gradients.

    References
    ----------
    .. [1] O. Li et al., "Label Leakage and Protection in Two-party Split Learning", ICLR 2022.
    """

    acts_on = frozenset({Seam.MESSAGE})
    rewrites = frozenset({Kind.GRADIENT})

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: remember the generator, and nothing else."""
        del own_part
        return on_gradient(lambda gradient: stretched(gradient, rng))


def stretched(gradient: Matrix, rng: Generator) -> Matrix:
    """Return the gradients of one batch, each moved along its own line.

    >>> sent = stretched(np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]]), np.random.default_rng(0))
    >>> sent[0], (sent[1] / [0.3, 0.4]).round(3), sent[2]
    (array([3., 4.]), array([-0.314, -0.314]), array([0., 0.]))
    """
    lengths = np.linalg.norm(gradient.astype(np.float64), axis=1, keepdims=True)
    longest = lengths.max(initial=0.0)
    unit = np.divide(gradient, lengths, out=np.zeros(gradient.shape), where=lengths > 0)
    moved = np.sqrt(np.maximum(0.0, longest**2 - lengths**2)) * rng.normal(size=lengths.shape)
    return np.asarray(unit * (lengths + moved)).astype(gradient.dtype)
