"""Fewer gradients."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.checks import check_shares
from seepage.hooks import Defense, Hook, Seam, on_gradient
from seepage.messages import Kind
from seepage.partition import OwnPart
from seepage.shapes import Matrix


@dataclass(frozen=True, kw_only=True)
class TopK(Defense):
    r"""Send only the largest gradient values of a message; the others are set to zero.

    "Gradient compression" of paper 001, §6.1, over all values of a message
    together: of *n* values the :math:`\lceil s \, n \rceil` of largest magnitude
    survive. Which values are large is itself a hint at the label.

    Parameters
    ----------
    share
        :math:`s`, the share of values that is kept, in (0, 1].

    Notes
    -----
    Exactly that many survive, ties being broken by position. The authors' code
    keeps what is strictly above the k-th value, one fewer.
    """

    acts_on = frozenset({Seam.MESSAGE})
    rewrites = frozenset({Kind.GRADIENT})

    share: float = 0.1

    def __post_init__(self) -> None:
        check_shares(share=self.share)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run; there is nothing to remember."""
        del own_part, rng
        return on_gradient(lambda gradient: keep_largest(gradient, self.share))


def keep_largest(gradient: Matrix, share: float) -> Matrix:
    """Keep a share of the values, those of largest magnitude.

    >>> keep_largest(np.array([[0.1, -0.9], [0.4, 0.2]]), share=0.5)
    array([[ 0. , -0.9],
           [ 0.4,  0. ]])
    """
    kept = math.ceil(round(share * gradient.size, 9))  # 0.07 × 100 is 7, whatever float64 says
    largest = np.argsort(-np.abs(gradient).ravel(), kind="stable")[:kept]
    compressed = np.zeros_like(gradient)
    compressed.flat[largest] = gradient.flat[largest]
    return compressed
