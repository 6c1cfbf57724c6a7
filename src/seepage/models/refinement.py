"""Bend a network so that its outputs tell who has a property: model refinement of paper 000."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import torch
from numpy.random import Generator
from torch import Tensor, nn
from torch.nn import functional as F

from seepage.models.seeded import torch_seeded
from seepage.randomness import fresh_seed

SIDES: Final = 2
"""Rows have the property or not."""


class PredictionHead(nn.Module):
    """The layers that the adversary puts on its bottom model, with Tanh between them and one output for each side.

    Its first weights and what it drops are drawn from `rng` alone: nothing
    drawn here changes what is drawn elsewhere.

    >>> import numpy as np
    >>> PredictionHead(16, (256, 128, 64), 0.1, np.random.default_rng(0)).layers
    ModuleList(
      (0): Linear(in_features=16, out_features=256, bias=True)
      (1): Linear(in_features=256, out_features=128, bias=True)
      (2): Linear(in_features=128, out_features=64, bias=True)
      (3): Linear(in_features=64, out_features=2, bias=True)
    )
    """

    def __init__(self, inputs: int, hidden: tuple[int, ...], dropout: float, rng: Generator) -> None:
        super().__init__()
        with torch_seeded(rng):
            self.layers = nn.ModuleList(nn.Linear(*widths) for widths in pairwise((inputs, *hidden, SIDES)))
        self.dropout = dropout
        self.chance = torch.Generator().manual_seed(fresh_seed(rng))

    def forward(self, values: Tensor, *, still: bool) -> Tensor:
        """Return the logits; a head held `still` learns nothing from them and drops nothing."""
        *hidden, last = self.layers
        for layer in hidden:
            values = torch.tanh(_linear(layer, values, still=still))
            values = values if still else self._dropped(values)
        return _linear(last, values, still=still)

    def _dropped(self, values: Tensor) -> Tensor:
        stays = torch.rand(values.shape, generator=self.chance) >= self.dropout
        return values * stays.to(values) / (1 - self.dropout)


def _linear(layer: nn.Module, values: Tensor, *, still: bool) -> Tensor:
    assert isinstance(layer, nn.Linear)
    if not still:
        return F.linear(values, layer.weight, layer.bias)
    return F.linear(values, layer.weight.detach(), layer.bias.detach())


def output_losses(outputs: Tensor, has: Tensor) -> Tensor:
    r"""Return what each row adds to the output loss: longer is better for rows with the property, shorter for others.

    .. math:: -p'_i \frac{n_i}{1 + n_i}, \qquad n_i = \frac{\lVert f(x_i) \rVert_1}{\text{width}}

    with :math:`p'_i` = +1 for a row with the property and −1 for one without. It
    lies between −1 and 1 and pulls ever less on a row that is long already, with
    :math:`1 / (1 + n_i)^2`.

    Notes
    -----
    Eq. 12 of paper 000 has :math:`\lVert f(x_i) \rVert_1` itself. That has no
    lowest value: the longer a row, the better, and norms grow until the joint
    model is ruined. A mean over the width also makes :math:`\lambda` mean the same for
    every width.

    >>> output_losses(torch.tensor([[1.0, -1.0], [3.0, 3.0], [0.0, 0.0]]), torch.tensor([True, False, False]))
    tensor([-0.5000,  0.7500,  0.0000])
    """
    norms = outputs.abs().mean(dim=1)
    return (1 - 2 * has.to(outputs)) * norms / (1 + norms)  # Eq. 12


@dataclass(frozen=True, eq=False)
class Refinement:
    r"""One adversary's refinement of its own bottom model, batch after batch.

    Parameters
    ----------
    weight
        :math:`\lambda`, the weight of the output loss beside the supervised loss; 0 leaves it out.
    hidden
        The widths of the prediction head's hidden layers.
    learning_rate
        The head's own, for Adam.
    dropout
        The share of hidden units that sit out while the head learns.
    rng
        Where the head's first weights and its dropout come from, and nothing else.

    Examples
    --------
    A head that knows nothing yet loses log 2 on each row, or about that:

    >>> import numpy as np
    >>> refinement = Refinement(0.0, hidden=(8,), learning_rate=1e-3, dropout=0.1, rng=np.random.default_rng(0))
    >>> outputs = torch.zeros(10, 4, requires_grad=True)
    >>> 0.5 < refinement.loss(outputs, torch.arange(10) < 5).item() / 10 < 0.9
    True
    """

    weight: float
    hidden: tuple[int, ...]
    learning_rate: float
    dropout: float
    rng: Generator
    _made: list[tuple[PredictionHead, torch.optim.Optimizer]] = field(default_factory=list, repr=False)

    def loss(self, outputs: Tensor, has: Tensor) -> Tensor:
        r"""Let the head learn from these rows, then return the sum of their losses.

        That is :math:`\mathcal{L}_s + \lambda \mathcal{L}_o` (Eq. 13), without the mean over all auxiliary rows.
        The head learns from outputs that are held still; the loss pulls on the
        outputs, with a head that is held still and drops nothing.
        """
        head = self._taught(outputs.detach(), has)
        supervised = F.cross_entropy(head(outputs, still=True), has.long(), reduction="sum")  # Eq. 11
        return supervised + self.weight * output_losses(outputs, has).sum() if self.weight else supervised  # Eq. 13

    def _taught(self, outputs: Tensor, has: Tensor) -> PredictionHead:
        if not self._made:
            made = PredictionHead(outputs.shape[1], self.hidden, self.dropout, self.rng).to(outputs)
            self._made.append((made, torch.optim.Adam(made.parameters(), lr=self.learning_rate, fused=True)))
        ((head, optimizer),) = self._made
        optimizer.zero_grad()
        F.cross_entropy(head(outputs, still=False), has.long()).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return head
