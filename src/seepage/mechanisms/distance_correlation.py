"""How much of one set of numbers shows in another, as distances between rows tell."""

from typing import Final

import torch
from torch import Tensor

MOST_ROWS: Final = 1024
"""Rows whose distances are taken at a time, so that memory stays bounded."""


def distance_correlation(one: Tensor, other: Tensor) -> Tensor:
    r"""Return how distances between rows go together: 0 where they do not at all, 1 where they are proportional.

    With :math:`a_{ij} = \lVert x_i - x_j \rVert`, :math:`b_{ij} = \lVert z_i - z_j \rVert` and
    :math:`A, B` the same with the means of rows and columns taken off and the mean of all put back,

    .. math:: \mathrm{dCor}^2(X, Z) = \frac{\langle A, B \rangle}{\sqrt{\langle A, A \rangle \langle B, B \rangle}}

    (Székely et al., Annals of Statistics 2007, Definition 3, on a sample). Where all rows of one are equal, it is 0,
    and so is its gradient; equal rows have none. Of more than 1,024 rows the first ones count.

    >>> x = torch.tensor([[0.0], [1.0], [3.0]])
    >>> round(distance_correlation(x, 5 - 2 * x).item(), 6)
    1.0
    >>> distance_correlation(x, torch.ones(3, 2)).item()
    0.0
    """
    first, second = (_centered(rows[:MOST_ROWS]) for rows in (one, other))
    together, apart = (first * second).sum(), (first * first).sum() * (second * second).sum()
    tiny = torch.finfo(together.dtype).tiny
    squared = together / torch.sqrt(apart.clamp(min=tiny))
    return torch.sqrt(squared.clamp(min=tiny)) * (squared > 0)


def _centered(rows: Tensor) -> Tensor:
    """Return the distances between rows, centered both ways."""
    distances = torch.cdist(rows, rows, compute_mode="donot_use_mm_for_euclid_dist")
    return distances - distances.mean(dim=0) - distances.mean(dim=1, keepdim=True) + distances.mean()
