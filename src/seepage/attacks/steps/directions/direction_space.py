"""A few numbers for each row that stand for the directions of all its gradients."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.errors import IncompatibleView
from seepage.learners.logistic import probe
from seepage.shapes import Array, Labels, Mask, Matrix, Rows
from seepage.views import Epochs, Kind, View

MOST_NUMBERS: Final = 1280
"""How many numbers are kept of a row, all epochs together; of wider gradients each epoch's main directions are kept."""
CHUNK: Final = 4096
"""For how many rows to solve at a time."""
NEGLIGIBLE: Final = 1e-9
"""The share of all variance below which a component is rounding."""


@dataclass(frozen=True, eq=False)
class ReturnedGradients:
    """What came back for the training rows.

    Parameters
    ----------
    rows
        All training rows, in order; some may never have been in a batch.
    values
        Rows by epochs by numbers; zeros where nothing came back.
    came
        Rows by epochs: whether a gradient came back at all.
    """

    rows: Rows
    values: Matrix
    came: Mask

    @property
    def heard(self) -> Mask:
        """Rows by epochs: whether a gradient came back that is not zero."""
        return np.asarray((self.values != 0).any(axis=2))

    @property
    def ever_heard(self) -> Mask:
        """Whether some gradient of the row is not zero."""
        return np.asarray(self.heard.any(axis=1))


def returned_gradients(view: View, epochs: Epochs, most_epochs: int) -> ReturnedGradients:
    """Collect the gradients of some epochs, those of colluding parties side by side.

    Where more than `most_epochs` were recorded, that many are read, spread evenly
    from the first to the last. Of an epoch without any gradient but zero nothing is kept.
    """
    messages = view.received(Kind.GRADIENT, epochs)
    read = spread(np.unique([message.epoch for message in messages]), most_epochs)
    messages = tuple(message for message in messages if message.epoch in read)
    widths = _widths(view)
    starts = dict(zip(widths, np.cumsum([0, *widths.values()]), strict=False))
    rows = np.unique(np.concatenate((view.knowledge.train, *(message.rows for message in messages))))
    values = np.zeros((len(rows), len(read), sum(widths.values())), dtype=np.float32)
    came = np.zeros(values.shape[:2], dtype=bool)
    for message in messages:
        places, epoch = np.searchsorted(rows, message.rows), int(np.searchsorted(read, message.epoch))
        start = starts[message.receiver]
        values[places, epoch, start : start + widths[message.receiver]] += message.payload["gradient"]
        came[places, epoch] = True
        view.let_go(message)
    if not np.isfinite(values).all():
        raise IncompatibleView("Some gradients are not numbers: training diverged.\nLower the learning rate.")
    speaking = values.any(axis=(0, 2))
    return ReturnedGradients(rows, _narrowed(values if speaking.all() else values[:, speaking]), came)


def directions(values: Matrix, power: float = 1.0) -> Array:
    """Divide each gradient by its length, or by a power of it; zeros stay zeros.

    With power 1 the length is gone, and with it the factor 1 / batch. With power
    ½ strong gradients still count for more than weak ones, which noise has bent.

    >>> directions(np.array([[[3.0, 4.0]], [[0.0, 0.0]]])).tolist()
    [[[0.6, 0.8]], [[0.0, 0.0]]]
    """
    largest = np.abs(values).max(axis=2, keepdims=True).astype(np.float64)
    even = values / np.where(largest > 0, largest, 1.0)  # tiny numbers have no squares
    length = np.linalg.norm(even, axis=2, keepdims=True)
    length = np.where(length > 0, length, 1.0)
    return np.asarray(even / length * (length * largest) ** (1.0 - power))


def spread(epochs: Array, most: int) -> Array:
    """Return so many of some epochs, spread from the first to the last.

    >>> spread(np.arange(9), 3)
    array([0, 4, 8])
    """
    if len(epochs) <= most:
        return epochs
    return np.asarray(epochs[np.unique(np.linspace(0, len(epochs) - 1, most).round().astype(int))])


def _widths(view: View) -> dict[str, int]:
    """Return how many numbers each adversary is sent for a row; refuse where that changes."""
    widths: dict[str, int] = {}
    for message in view.received(Kind.GRADIENT):
        width = message.payload["gradient"].shape[1]
        if widths.setdefault(message.receiver, width) != width:
            raise IncompatibleView(
                f"Gradients that came to '{message.receiver}' have {widths[message.receiver]} numbers for a row at "
                f"first and {width} in epoch {message.epoch}.\nRecord one training, with embeddings of one width."
            )
    return {party: widths[party] for party in view.adversaries if party in widths}


def _narrowed(values: Array) -> Array:
    """Keep the main directions of each epoch where all numbers of a row would be too many to compare."""
    _, epochs, width = values.shape
    kept = max(1, MOST_NUMBERS // max(1, epochs))
    if width <= kept:
        return values
    narrow = np.empty((len(values), epochs, kept), dtype=values.dtype)
    for epoch in range(epochs):
        even = directions(values[:, epoch : epoch + 1])[:, 0]
        _, basis = np.linalg.eigh(even.T @ even)
        narrow[:, epoch] = values[:, epoch] @ basis[:, -kept:]
    return narrow


def class_cosines(values: Matrix, known: Rows, labels: Labels, classes: int) -> Array:
    r"""Add up, over epochs, the cosine of each row's gradient to the mean direction of each class, as confidences.

    .. math:: s_{ic} = \sum_t \cos(g_{it}, \bar u_{tc})

    The softmax of these sums is returned; a class of which no row is known, or none was heard, gets 0.

    >>> values = np.array([[[1.0, 0.0]], [[0.0, 2.0]], [[0.1, 3.0]]])
    >>> class_cosines(values, np.array([0, 1]), np.array([0, 1]), 3).argmax(axis=1)
    array([0, 1, 1])
    """
    even = directions(values)
    cosines, heard = np.zeros((len(values), classes)), np.zeros(classes, dtype=bool)
    for name in np.unique(labels):
        mean = even[known[labels == name]].mean(axis=0, keepdims=True)
        heard[name] = bool(mean.any())
        cosines[:, name] = np.einsum("ntw,tw->n", even, directions(mean)[0])
    raised = np.exp(cosines - cosines.max(axis=1, keepdims=True)) * heard
    return np.asarray(raised / np.maximum(raised.sum(axis=1, keepdims=True), 1e-300))


def relative_lengths(values: Matrix) -> Array:
    """Return the logarithm of how long each row's gradients are, relative to the mean of their epoch; a line each.

    >>> relative_lengths(np.array([[[3.0, 4.0]], [[0.0, 5.0]], [[20.0, 0.0]]])).round(2).ravel()
    array([-0.69, -0.69,  0.69])
    """
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    lengths = np.linalg.norm(values / largest, axis=2)
    means = lengths.mean(axis=0)
    relative = (lengths / np.where(means > 0, means, 1.0)).mean(axis=1)
    return np.asarray(np.log(np.maximum(relative, 1e-12))[:, None])


def length_confidences(values: Matrix, known: Rows, labels: Labels, classes: int) -> Array:
    """Tell classes apart by the length of gradients alone; known rows say which class is pulled harder."""
    lengths = relative_lengths(values)
    return np.asarray(probe(lengths[known], labels, lengths, classes))


@dataclass(frozen=True, eq=False)
class DirectionSpace:
    r"""Main components of the directions of all epochs, which also speak for rows that were silent in some of them.

    Directions of row *i* in epoch *t* are taken for :math:`u_{it} = V_t z_i` plus noise.
    The coordinates are the ridge regression on the epochs in which the row was heard,

    .. math:: z_i = \Bigl( \sum_{t \in T_i} V_t^\top V_t + \Lambda \Bigr)^{-1} \sum_{t \in T_i} V_t^\top u_{it},

    so that a row heard twice lies where it would lie had it been heard always. This
    is what principal components with missing values are; without silence it is a projection.

    Parameters
    ----------
    power
        The power of its length by which each gradient is divided.
    scale
        By how much they are divided then.
    basis
        Epochs by numbers by components.
    penalty
        The variance of the noise over that of each component.
    """

    power: float
    scale: float
    basis: Array
    penalty: Array

    def coordinates(self, values: Matrix) -> Array:
        """Return where rows lie: rows by components; a row that was never heard lies at 0."""
        found = np.empty((len(values), len(self.penalty)))
        blocks = np.einsum("twc,twd->tcd", self.basis, self.basis)
        for start in range(0, len(values), CHUNK):
            even = directions(values[start : start + CHUNK], self.power) / self.scale
            heard = (even != 0).any(axis=2)
            told = even.reshape(len(even), -1) @ self.basis.reshape(-1, len(self.penalty))
            if not heard.all():
                grams = np.tensordot(heard.astype(np.float64), blocks, axes=1) + np.diag(self.penalty)
                told = np.linalg.solve(grams, told[:, :, None])[:, :, 0]
            found[start : start + CHUNK] = told
        return found


def direction_space(values: Matrix, power: float, components: int) -> DirectionSpace:
    """Find the main components of directions; epochs are compared on rows that were heard in both.

    Rows of two classes, pulled opposite ways; the second was not heard in the second epoch:

    >>> values = np.array([[[0.2, 0.0], [0.0, 0.3]], [[-0.1, 0.0], [0.0, 0.0]], [[-0.4, 0.0], [0.0, -0.1]]])
    >>> np.sign(direction_space(values, 1.0, 1).coordinates(values)[:, 0] * -1).astype(int).tolist() in (
    ...     [1, -1, -1], [-1, 1, 1])
    True
    """
    (space,) = direction_spaces(values, power, (components,))
    return space


def direction_spaces(values: Matrix, power: float, components: Sequence[int]) -> tuple[DirectionSpace, ...]:
    """Find spaces of several numbers of components at once: the smaller ones are the beginnings of the largest."""
    rows, epochs, width = values.shape
    even = directions(values, power)
    heard = (even != 0).any(axis=2).astype(np.float64)
    scale = float(np.sqrt((even**2).sum() / max(1.0, heard.sum()))) or 1.0
    flat = even.reshape(rows, -1) / scale
    together = np.maximum(heard.T @ heard, 1.0)
    moments = flat.T @ flat / np.repeat(np.repeat(together, width, axis=0), width, axis=1)
    variances, vectors = np.linalg.eigh(moments)
    total = float(np.maximum(variances, 0.0).sum())
    above = max(1, int(np.count_nonzero(variances > NEGLIGIBLE * total)))
    spaces = []
    for kept in (min(wanted, above) for wanted in components):
        main, basis = variances[::-1][:kept], vectors[:, ::-1][:, :kept]
        noise = max((total - main.sum()) / max(1, epochs * width - kept), NEGLIGIBLE * total)
        spaces.append(DirectionSpace(power, scale, basis.reshape(epochs, width, kept), noise / main))
    return tuple(spaces)
