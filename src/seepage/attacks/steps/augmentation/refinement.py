"""Bend a network so that its outputs tell who has a property: model refinement of paper 000."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor

from seepage.attacks.steps.augmentation.prediction_head import PredictionHead


class _Pulling(torch.autograd.Function):
    """A loss whose value and gradient were worked out elsewhere."""

    @staticmethod
    def forward(ctx: Any, outputs: Tensor, value: float, gradient: Tensor) -> Tensor:
        ctx.save_for_backward(gradient)
        return outputs.new_tensor(value)

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        return slopes[0] * gradient, None, None


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
    _made: list[PredictionHead] = field(default_factory=list, repr=False)

    def loss(self, outputs: Tensor, has: Tensor) -> Tensor:
        r"""Let the head learn from these rows, then return the sum of their losses.

        That is :math:`\mathcal{L}_s + \lambda \mathcal{L}_o` (Eq. 13), without the mean over all auxiliary rows.
        The head learns from outputs that are held still; the loss pulls on the
        outputs, with a head that is held still and drops nothing.
        """
        rows, sides = outputs.detach().cpu().numpy().astype(np.float32), has.cpu().numpy()
        head = self._head(rows.shape[1])
        head.learn(rows, sides)
        value, gradient = head.pull(rows, sides)  # Eq. 11
        supervised: Tensor = _Pulling.apply(outputs, value, torch.from_numpy(gradient).to(outputs))  # type: ignore[no-untyped-call]
        return supervised + self.weight * output_losses(outputs, has).sum() if self.weight else supervised  # Eq. 13

    def _head(self, width: int) -> PredictionHead:
        if not self._made:
            drawn = PredictionHead.drawn(
                width, self.hidden, learning_rate=self.learning_rate, dropout=self.dropout, rng=self.rng
            )
            self._made.append(drawn)
        return self._made[0]
