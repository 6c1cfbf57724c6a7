"""Layers that tell who has a property from the outputs of another network, in plain NumPy."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from seepage.learners.adam import Adam
from seepage.learners.small_network import Layers
from seepage.shapes import Mask

Values = NDArray[np.float32]


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

    def logits(self, outputs: Values) -> Values:
        """Return what the head says of some rows; nobody sits out."""
        return self._passed(outputs, [])[-1]

    def learn(self, outputs: Values, has: Mask) -> None:
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

    def pull(self, outputs: Values, has: Mask) -> tuple[float, Values]:
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

    def _staying(self, rows: int) -> list[Values]:
        """Draw for each hidden layer by how much each unit of each row counts: 0 for one that sits out."""
        widths = self.layers.widths[1:-1]
        drawn = self.rng.random((rows, sum(widths)), dtype=np.float32) >= self.dropout
        counts = drawn.astype(np.float32) / np.float32(1 - self.dropout)
        return np.split(counts, np.cumsum(widths)[:-1], axis=1) if widths else []

    def _passed(self, outputs: Values, scales: list[Values]) -> list[Values]:
        """Return what each layer is given, and the logits at the end."""
        given = [outputs]
        *hidden, (matrix, bias) = self.layers.of(self.layers.weights)
        for place, (weights, shift) in enumerate(hidden):
            values = np.tanh(given[-1] @ weights + shift)
            given.append(values * scales[place] if scales else values)
        return [*given, given[-1] @ matrix + bias]


def _errors(logits: Values, has: Mask) -> Values:
    """Return the gradient of each row's cross-entropy with respect to its logits."""
    from scipy.special import softmax

    errors: Values = softmax(logits, axis=1)
    errors[np.arange(len(has)), has.astype(np.int64)] -= 1
    return errors


def _slope_of_tanh(given: Values, scale: Values) -> Values:
    """Return the slope of a scaled Tanh by what it gave: s (1 − (g / s)²), and 0 where s is."""
    square = np.divide(given * given, scale, out=np.zeros_like(given), where=scale > 0)
    return np.asarray(scale - square)
