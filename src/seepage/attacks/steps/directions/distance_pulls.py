"""Labels read off the very gradient that pulls embeddings until their distances tell nothing of labels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.directions.direction_space import spread
from seepage.attacks.steps.directions.second_opinion import Reading
from seepage.attacks.steps.directions.weighed_rules import held_out_folds
from seepage.messages import Message
from seepage.shapes import Array, Labels, Matrix, Rows
from seepage.views import Epochs, Kind, View

MOST_ROWS: Final = 1024
"""How many rows of a batch are read: distances are taken among the first ones."""
EPOCHS: Final = 20
"""How many epochs are read at most."""
TRIED: Final = (0.0, 0.1, 0.5)
"""After which shares of the epochs one batch is tried, before any other is read."""
TRIED_ROUNDS: Final = 6
SLOW: Final = (0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 1.0, 1.0)
"""How much each round counts what came back: who believes first names at once does not get away from them."""
AT_ONCE: Final = (1.0,) * 14
"""First names that tell next to nothing are forgotten by who believes them slowly. What explains more is kept."""
EXPLAINED: Final = 0.75
"""The share of what came back that names have to explain beyond chance. Of a loss alone they explain 0.6 at most."""
BEST: Final = 0.75
"""The batch that does better than this share of all speaks for them: late embeddings may all lie in one place."""

Crossed: TypeAlias = tuple[Message, Message]
"""An embedding that was sent, and the gradient that came back for it."""


@dataclass(frozen=True, eq=False)
class Exchange:
    """What one party sent in one batch, and what came back for it.

    Parameters
    ----------
    places
        Where the rows of the batch stand among all.
    embeddings, gradients
        Rows by numbers.
    """

    places: Rows
    embeddings: Matrix
    gradients: Matrix


@dataclass(frozen=True, eq=False)
class Told:
    """What one batch says, if names are as guessed.

    Parameters
    ----------
    explained
        The share of what came back that names explain, of what embeddings alone do not.
    likelihoods
        The logarithm of how likely each class makes what came back for a row: rows by classes.
    """

    explained: float
    likelihoods: Array


def told(exchange: Exchange, names: Matrix) -> Told:
    r"""Fit what names and embeddings would pull to what came back, and ask for each row which class would fit best.

    .. math:: g_i \approx m \sum_k (y_{ik} - \bar y_k) \sum_j (y_{jk} - \bar y_k) u_{ij} + l \sum_j B_{ij} u_{ij},
        \qquad u_{ij} = \frac{z_i - z_j}{\lVert z_i - z_j \rVert}

    with *B* the centered distances between embeddings, and *m* and *l* two numbers of the batch. That is the gradient
    of any function of the distance correlation: distances between indicators, centered, are
    :math:`-\sqrt 2 \sum_k (y_{ik} - \bar y_k)(y_{jk} - \bar y_k)`.

    >>> rng = np.random.default_rng(0)
    >>> names, z = np.eye(2)[rng.integers(0, 2, 30)], rng.normal(size=(30, 4))
    >>> apart = z[:, None] - z[None]
    >>> units = apart / np.maximum(np.linalg.norm(apart, axis=2, keepdims=True), 1e-9)
    >>> away = names - names.mean(axis=0)
    >>> gradient = 3 * np.einsum("ij,ijw->iw", away @ away.T, units)
    >>> found = told(Exchange(np.arange(30), z, gradient + 0.01 * rng.normal(size=z.shape)), names)
    >>> found.explained > 0.99, bool((found.likelihoods.argmax(axis=1) == names.argmax(axis=1)).all())
    (True, True)
    """
    z, sent = exchange.embeddings, exchange.gradients.ravel()
    near, own = _alone(z)
    shares = names.mean(axis=0)
    away = names - shares
    weighted = away[:, :, None] * z[:, None]
    drawn = (near @ weighted.reshape(len(z), -1)).reshape(weighted.shape)
    summed = (near @ away)[:, :, None] * z[:, None] - drawn  # of each class, what it would pull a row
    usual = np.einsum("k,nkw->nw", shares, summed)
    pulled = np.einsum("nk,nkw->nw", names, summed) - usual
    parts = np.stack((pulled.ravel(), own.ravel()))
    much, less = np.linalg.pinv(parts @ parts.T, hermitian=True) @ (parts @ sent)
    left = max(float(((sent - much * parts[0] - less * parts[1]) ** 2).sum()), 1e-9 * float(sent @ sent))
    alone = float(sent @ sent) - float(parts[1] @ sent) ** 2 / max(float(parts[1] @ parts[1]), 1e-300)
    rest = exchange.gradients - less * own + much * usual
    misses = ((rest[:, None] - much * summed) ** 2).sum(axis=2)
    return Told(1.0 - left / max(alone, left), -misses * sent.size / (2 * left))


def _alone(embeddings: Matrix) -> tuple[Matrix, Matrix]:
    """Return one over each distance, 0 between equal rows; and what the centered distances pull by themselves."""
    from scipy.spatial.distance import cdist

    distances = cdist(embeddings, embeddings)
    near = np.zeros_like(distances)
    np.divide(1.0, distances, out=near, where=distances > 0)
    means = distances.mean(axis=0)
    pulling = (distances - means - means[:, None] + means.mean()) * near
    return near, pulling.sum(axis=1, keepdims=True) * embeddings - pulling @ embeddings


def read_off(view: View, epochs: Epochs, rows: Rows, reading: Reading, mistakes: int, rng: Generator) -> Array | None:
    r"""Read labels off what pulls embeddings together or apart by label; None where nothing does.

    Who adds :math:`\alpha \, \mathrm{dCor}(Z, Y)` to a loss sends its gradient back, and that is made of labels and of
    embeddings, which the adversary sent itself (`told`). From names that were read otherwise it computes the
    sums, asks of each row which class explains best what came back for it in all epochs, and begins again with that.

    Nobody says that this was done. It is tried on one batch of a few epochs, and what comes out counts where
    names explain nearly all that came back, the same names shuffled do not, and known labels, each told by its own
    gradient while it was held out, are mistaken no more often than they are otherwise.

    Parameters
    ----------
    rows
        All training rows, in order.
    reading
        What other rules say.
    mistakes
        How many known labels other rules mistake when they are held out.
    """
    crossed = _crossed(view, epochs)
    if not crossed:
        return None
    known, labels, order = reading.known, reading.labels, sorted(crossed)
    tried = [crossed[epoch][:1] for epoch in dict.fromkeys(order[int(share * len(order))] for share in TRIED)]
    names = reading.confidences.copy()
    names[known] = np.eye(names.shape[1])[labels]
    if not any(_worth_reading(exchange, names) for some in tried for exchange in _exchanges(some, rows)):
        return None
    chosen = spread(np.array(order), EPOCHS).tolist()
    exchanges = [exchange for epoch in chosen for exchange in _exchanges(crossed[epoch], rows)]
    found = [_settled(exchanges, names, known, labels, trusts) for trusts in (SLOW, AT_ONCE)]
    names = max(found, key=lambda one: sum(told(each, one[each.places]).explained for each in exchanges))
    shuffled = rng.permutation(names)
    beyond = [told(one, names[one.places]).explained - told(one, shuffled[one.places]).explained for one in exchanges]
    if np.quantile(beyond, BEST) < EXPLAINED or _mistaken(exchanges, names, known, labels) > mistakes:
        return None
    spoken = np.zeros(len(rows), dtype=bool)
    spoken[np.concatenate([exchange.places for exchange in exchanges])] = True
    return np.where(spoken[:, None], names, reading.confidences)


def _settled(
    exchanges: Sequence[Exchange], names: Matrix, known: Rows, labels: Labels, trusts: Sequence[float]
) -> Matrix:
    """Name all rows again and again, each time by what the names before would have pulled."""
    for trust in trusts:
        names = _named(trust * _likelihoods(exchanges, names), known, labels)
        names[known] = np.eye(names.shape[1])[labels]
    return names


def _crossed(view: View, epochs: Epochs) -> dict[int, list[Crossed]]:
    """Put each gradient beside the embedding that it came back for, epoch by epoch; nothing where none crosses."""
    if Kind.EMBEDDING not in view.agreement.kinds:
        return {}
    sent = {(message.sender, message.epoch, message.step): message for message in view.sent(Kind.EMBEDDING, epochs)}
    found: dict[int, list[Crossed]] = {}
    for message in view.received(Kind.GRADIENT, epochs):
        before = sent.get((message.receiver, message.epoch, message.step))
        if before is not None and np.array_equal(before.rows, message.rows):
            found.setdefault(message.epoch, []).append((before, message))
    return found


def _exchanges(crossed: Iterable[Crossed], rows: Rows) -> Iterable[Exchange]:
    """Yield what can be read: both in as many numbers, and something that is not zero."""
    for sent, came in crossed:
        embeddings = sent.payload["embedding"][:MOST_ROWS].astype(np.float64)
        gradients = came.payload["gradient"][:MOST_ROWS].astype(np.float64)
        places = np.searchsorted(rows, came.rows[:MOST_ROWS])
        View.let_go(sent)
        View.let_go(came)
        if embeddings.shape == gradients.shape and gradients.any() and np.isfinite(embeddings).all():
            yield Exchange(places, embeddings, gradients)


def _worth_reading(exchange: Exchange, names: Matrix) -> bool:
    """Whether some names of the rows of a batch explain nearly all that came back for it."""
    guessed = names[exchange.places]
    for _ in range(TRIED_ROUNDS):
        said = told(exchange, guessed)
        if said.explained > EXPLAINED:
            return True
        before, guessed = guessed, _confidences(said.likelihoods)
        if (before.argmax(axis=1) == guessed.argmax(axis=1)).all():
            return False
    return False


def _likelihoods(exchanges: Sequence[Exchange], names: Matrix) -> Array:
    """Add up, over all batches, how likely each class makes what came back for a row."""
    total = np.zeros_like(names)
    for exchange in exchanges:
        total[exchange.places] += told(exchange, names[exchange.places]).likelihoods
    return total


def _confidences(likelihoods: Array) -> Array:
    raised = np.exp(likelihoods - likelihoods.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _named(likelihoods: Array, known: Rows, labels: Labels) -> Array:
    """Put classes into the order that known labels speak for: what is pulled is the same in any order.

    >>> _named(np.array([[0.0, -9.0], [-9.0, 0.0]]), np.array([0]), np.array([1])).round()
    array([[0., 1.],
           [1., 0.]])
    """
    from scipy.optimize import linear_sum_assignment

    confidences = _confidences(likelihoods)
    classes = confidences.shape[1]
    together = 1e-3 * np.eye(classes)  # who is not known stays where it is
    np.add.at(together.T, labels, confidences[known])
    _, name = linear_sum_assignment(-together)
    return np.asarray(confidences[:, np.argsort(name)])


def _mistaken(exchanges: Sequence[Exchange], names: Matrix, known: Rows, labels: Labels) -> int:
    """Return how many known labels are mistaken, half of which at a time have no say."""
    halves, wrong = held_out_folds(labels) % 2 == 0, 0
    for out in (halves, ~halves) if not halves.all() else ():
        untold = names.copy()
        untold[known[out]] = 1 / names.shape[1]
        said = _named(_likelihoods(exchanges, untold), known[~out], labels[~out])
        wrong += int(np.count_nonzero(said[known[out]].argmax(axis=1) != labels[out]))
    return wrong
