"""Values of training rows that embeddings tell, and of new rows that training rows teach."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.values.known_values import KnownValues, own_inputs, own_labels
from seepage.attacks.steps.values.regression import Inputs, learned, regressed
from seepage.shapes import NO_ROWS, Array, Floats, Matrix, Rows
from seepage.views import Epochs, View
from seepage.views.received_embeddings import SentEmbeddings, new_embeddings, training_embeddings

MOST_WIDTH: Final = 1024
"""Numbers that are held for each row before they are projected."""
PROJECTED: Final = 384
"""Numbers that are left of a row then: inner products of rows keep their value up to 5 %, and ranks are kept."""

TAUGHT: Final = 200
"""How many training rows, values inferred, are learned from where new rows are told."""


def embedding_components(sent: Iterable[SentEmbeddings], rows: Rows, rng: Generator) -> Floats:
    """Lay the embeddings of all epochs side by side, each epoch brought to the same mean square length.

    Early epochs are short, since weights start small, but say as much as late
    ones. Where a row is missing, its epoch's mean stands in. Past `MOST_WIDTH`
    numbers a row, blocks are added up along random directions, so that memory
    does not grow with the number of epochs.

    >>> one = SentEmbeddings("shop", 0, np.arange(2), np.array([[1.0], [3.0]]))
    >>> two = SentEmbeddings("shop", 1, np.arange(2), np.array([[0.0], [80.0]]))
    >>> embedding_components((one, two), np.arange(3), np.random.default_rng(0)).round(2)
    array([[-1.22, -1.22],
           [ 1.22,  1.22],
           [ 0.  ,  0.  ]])
    """
    held: list[Floats] = []
    added: Floats | None = None
    for one in sent:
        held.append(_level(one.at(rows)))
        if sum(block.shape[1] for block in held) > MOST_WIDTH:
            added, held = _projected(held, added, rng), []
    if added is None:
        return np.hstack(held)
    return _projected(held, added, rng) if held else added


def _level(embeddings: Matrix) -> Floats:
    """Put the mean at 0, gaps too, and scale the block as a whole."""
    here = ~np.isnan(embeddings[:, 0]) if embeddings.shape[1] else np.zeros(len(embeddings), dtype=np.bool_)
    if not here.any():
        return np.zeros(embeddings.shape)
    centered = np.where(here[:, None], embeddings - embeddings[here].mean(axis=0), 0.0)
    length = np.sqrt(np.einsum("ij,ij->", centered, centered) / len(centered))
    return np.asarray(centered / (length if length > 0 else 1.0))


def _projected(held: list[Floats], added: Floats | None, rng: Generator) -> Floats:
    wide = np.hstack(held)
    projected = wide @ (rng.normal(size=(wide.shape[1], PROJECTED)) / np.sqrt(PROJECTED))
    return np.asarray(projected if added is None else added + projected)


@dataclass(frozen=True, eq=False)
class ToldTrainingRows:
    """What embeddings and a few known rows tell of all other training rows.

    Parameters
    ----------
    known
        The known rows and their values.
    rows, units
        All other training rows, and what is said of them.
    error, blind_error
        Leave-one-out errors on the known rows, with embeddings and without.
    """

    known: KnownValues
    rows: Rows
    units: Matrix
    error: float
    blind_error: float

    def some(self, rng: Generator) -> tuple[Rows, Matrix]:
        """Return the known rows and as many others as are worth their time, with their values, known or inferred."""
        others = np.sort(rng.permutation(len(self.rows))[: max(0, TAUGHT - len(self.known.rows))])
        rows = np.concatenate((self.known.rows, self.rows[others]))
        return rows, np.concatenate((self.known.units, self.units[others]))


def told_training_rows(view: View, known: KnownValues, epochs: Epochs, rng: Generator) -> ToldTrainingRows:
    """Learn from embeddings of some epochs, own columns and labels to each column, on the known rows."""
    own = own_inputs(view)
    rows = np.setdiff1d(view.knowledge.train, view.knowledge.value_rows)
    both = np.concatenate((known.rows, rows))
    components = embedding_components(training_embeddings(view, epochs), both, rng)
    before = np.hstack((own, own_labels(view, len(own))))
    here, there = np.split(np.arange(len(both)), [len(known.rows)])
    told, error = _learned(components, before[both], here, there, known.units)
    _, blind_error = regressed(before[known.rows], known.units, before[rows])
    return ToldTrainingRows(known, rows, told, error, blind_error)


@dataclass(frozen=True, eq=False)
class ToldNewRows:
    """What training rows teach about new rows.

    Parameters
    ----------
    rows, units
        New rows of which embeddings came in, and what is said of them.
    taught
        Training rows that it was learned from: their last embeddings, own columns, and values, known or inferred.
    """

    rows: Rows
    units: Matrix
    taught: tuple[Matrix, Matrix, Matrix] | None = None

    def variances(self, rng: Generator) -> Array:
        """Return the mean squared error of each column on training rows that it was not taught: half of them."""
        if self.taught is None:
            return np.ones(self.units.shape[1])
        components, own, units = self.taught
        order = rng.permutation(len(units))
        half, rest = np.split(order, [len(order) // 2])
        missed = units[rest] - _learned(components, own, half, rest, units[half])[0]
        return np.asarray((missed**2).mean(axis=0))


def told_new_rows(view: View, told: ToldTrainingRows, epochs: Epochs, rng: Generator) -> ToldNewRows:
    """Learn from the last embeddings and own columns of training rows, values known or inferred; tell new rows.

    A new row has no label. Nearly the same weights have made its embedding and the last one of training rows.
    """
    taught, units = told.some(rng)
    new = {one.party: one for one in new_embeddings(view)}
    sent = [one.rows for one in new.values()]
    rows = np.intersect1d(np.concatenate(sent), view.knowledge.new) if sent else NO_ROWS
    last = {one.party: one for one in training_embeddings(view, epochs) if one.party in new} if len(rows) else {}
    if not last:  # the latest embedding of each party counts
        return ToldNewRows(NO_ROWS, np.zeros((0, units.shape[1])))
    joined = (_joined(one, new[one.party]) for one in last.values())
    components = embedding_components(joined, np.concatenate((taught, rows)), rng)
    every = np.concatenate((own_inputs(view)[taught], own_inputs(view)[rows]))
    count = len(taught)
    here, there = np.arange(count), count + np.arange(len(rows))
    said, _ = _learned(components, every, here, there, units)
    return ToldNewRows(rows, said, (components[:count], every[:count], units))


def _learned(components: Matrix, own: Matrix, taught: Rows, asked: Rows, units: Matrix) -> tuple[Matrix, float]:
    """Learn from some rows, and tell others: by embeddings and by what is known besides."""
    messages = Inputs.scaled(components[taught], components[asked])
    return learned((messages, Inputs.standardized(own[taught], own[asked])), units)


def _joined(last: SentEmbeddings, new: SentEmbeddings) -> SentEmbeddings:
    """Lay the last embeddings of training rows and those of new rows together."""
    strangers = ~np.isin(new.rows, last.rows)
    return SentEmbeddings(
        last.party,
        last.epoch,
        np.concatenate((last.rows, new.rows[strangers])),
        np.concatenate((last.embeddings, new.embeddings[strangers])),
    )
