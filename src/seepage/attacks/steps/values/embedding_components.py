"""Embeddings of many epochs as one line of numbers for each row."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from seepage.shapes import Matrix, Rows
from seepage.views.received_embeddings import SentEmbeddings

MOST_WIDTH: Final = 1024
"""Numbers that are held for each row before they are projected."""
PROJECTED: Final = 384
"""Numbers that are left of a row then: inner products of rows keep their value up to 5 %, and ranks are kept."""

Floats = NDArray[np.float64]


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
