"""What an adversary does to its own part so that results say more of a property: augmentation of paper 000, §V-C."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor

from seepage.learners.small_network import Adam, Layers
from seepage.shapes import Integers, Labels, Mask, Rows, Singles
from seepage.views.auxiliary import KnownRows


@dataclass(frozen=True, eq=False)
class PredictionHead:
    """The layers that an adversary puts on its bottom model, with Tanh between them and one output for each side.

    Parameters
    ----------
    layers
        The weights.
    adam
        What changes them.
    dropout
        The share of hidden units that sit out while the head learns.
    rng
        Where it is drawn who sits out.

    Notes
    -----
    A batch holds a handful of auxiliary rows. For so few, most of a step in
    PyTorch goes by before anything is computed: a step and a pull take 1.2 ms
    there and a quarter of that here.
    """

    layers: Layers
    adam: Adam
    dropout: float
    rng: Generator

    @classmethod
    def drawn(
        cls, inputs: int, hidden: tuple[int, ...], *, learning_rate: float, dropout: float, rng: Generator
    ) -> "PredictionHead":
        """Draw first weights as PyTorch's linear layers do: evenly between ±1 / √inputs.

        >>> rng = np.random.default_rng(0)
        >>> head = PredictionHead.drawn(16, (256, 128, 64), learning_rate=1e-3, dropout=0.1, rng=rng)
        >>> head.layers.widths, head.logits(np.zeros((3, 16), dtype=np.float32)).shape
        ((16, 256, 128, 64, 2), (3, 2))
        """
        layers = Layers.drawn((inputs, *hidden, 2), rng)
        for matrix, bias in layers.of(layers.weights):
            most = 1 / np.sqrt(len(matrix))
            matrix[...] = rng.uniform(-most, most, size=matrix.shape)
            bias[...] = rng.uniform(-most, most, size=bias.shape)
        return cls(layers, Adam(layers.weights, learning_rate), dropout, rng)

    def logits(self, outputs: Singles) -> Singles:
        """Return what the head says of some rows; nobody sits out."""
        return self._passed(outputs, [])[-1]

    def learn(self, outputs: Singles, has: Mask) -> None:
        """Make one step on the mean cross-entropy of some rows."""
        scales = self._staying(len(outputs))
        inputs = self._passed(outputs, scales)
        error = _errors(inputs.pop(), has) / np.float32(len(outputs))
        weights, slopes = self.layers.of(self.layers.weights), self.layers.of(self.layers.slopes)
        for place in reversed(range(len(weights))):
            (matrix, _), (slope, slope_of_bias) = weights[place], slopes[place]
            np.matmul(inputs[place].T, error, out=slope)
            error.sum(axis=0, out=slope_of_bias)
            if place:
                error = error @ matrix.T
                error *= _slope_of_tanh(inputs[place], scales[place - 1])
        self.adam.step(self.layers.slopes)

    def pull(self, outputs: Singles, has: Mask) -> tuple[float, Singles]:
        """Return the sum of the rows' cross-entropies and its gradient with respect to the outputs; nobody sits out."""
        inputs = self._passed(outputs, [])
        said = inputs.pop()
        error = _errors(said, has)
        for place, (matrix, _) in reversed(list(enumerate(self.layers.of(self.layers.weights)))):
            error = error @ matrix.T
            if place:
                error *= 1 - inputs[place] ** 2
        right = said[np.arange(len(has)), has.astype(np.int64)]
        return float((np.logaddexp(said[:, 0], said[:, 1]) - right).sum()), error

    def _staying(self, rows: int) -> list[Singles]:
        """Draw for each hidden layer by how much each unit of each row counts: 0 for one that sits out."""
        widths = self.layers.widths[1:-1]
        drawn = self.rng.random((rows, sum(widths)), dtype=np.float32) >= self.dropout
        counts = drawn.astype(np.float32) / np.float32(1 - self.dropout)
        return np.split(counts, np.cumsum(widths)[:-1], axis=1) if widths else []

    def _passed(self, outputs: Singles, scales: list[Singles]) -> list[Singles]:
        """Return what each layer is given, and the logits at the end."""
        given = [outputs]
        *hidden, (matrix, bias) = self.layers.of(self.layers.weights)
        for place, (weights, shift) in enumerate(hidden):
            values = np.tanh(given[-1] @ weights + shift)
            given.append(values * scales[place] if scales else values)
        return [*given, given[-1] @ matrix + bias]


def _errors(logits: Singles, has: Mask) -> Singles:
    """Return the gradient of each row's cross-entropy with respect to its logits."""
    from scipy.special import softmax

    errors: Singles = softmax(logits, axis=1)
    errors[np.arange(len(has)), has.astype(np.int64)] -= 1
    return errors


def _slope_of_tanh(given: Singles, scale: Singles) -> Singles:
    """Return the slope of a scaled Tanh by what it gave: s (1 − (g / s)²), and 0 where s is."""
    square = np.divide(given * given, scale, out=np.zeros_like(given), where=scale > 0)
    return np.asarray(scale - square)


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


@dataclass(frozen=True, eq=False)
class Augmentation:
    """Label replacement and model refinement on auxiliary rows (§V-C of paper 000).

    People whom nobody else knows stand in for aligned rows first, where auxiliary
    rows are such people.

    Parameters
    ----------
    known
        The auxiliary rows.
    replace
        Whether the label of each of them becomes its property.
    refinement
        What pulls on the bottom model; None leaves it alone.

    Examples
    --------
    >>> known = KnownRows(rows=np.array([4, 1]), source=np.array([4, 1]), has=np.array([True, False]))
    >>> Augmentation(known, replace=True).labels(np.array([0, 1, 0, 1, 0]))
    array([0, 0, 0, 1, 1])
    """

    known: KnownRows
    replace: bool
    refinement: Refinement | None = None

    def labels(self, labels: Labels) -> Labels:
        """Put the property in the place of the label, on auxiliary rows alone."""
        changed = self.known.in_labels(labels)
        if self.replace:
            changed = changed.copy()
            changed[self.known.rows] = self.known.has
        return changed

    def extra_loss(self, embedding: Tensor, rows: Rows) -> Tensor | None:
        """Return the refinement's loss of auxiliary rows in the batch; each weighs as much as a row of the task."""
        if self.refinement is None:
            return None
        places, has = self._among(rows)
        if not len(places):
            return None
        outputs = embedding[torch.from_numpy(places).to(embedding.device)]
        return self.refinement.loss(outputs, torch.from_numpy(has).to(embedding.device)) / len(rows)

    @cached_property
    def _sorted(self) -> tuple[Rows, Mask]:
        order = np.argsort(self.known.rows)
        return self.known.rows[order], self.known.has[order]

    def _among(self, rows: Rows) -> tuple[Integers, Mask]:
        """Return where auxiliary rows stand in a batch, and whether each has the property."""
        known, has = self._sorted
        nearest = np.searchsorted(known, rows).clip(max=len(known) - 1)
        (places,) = np.nonzero(known[nearest] == rows)
        return places, has[nearest[places]]
