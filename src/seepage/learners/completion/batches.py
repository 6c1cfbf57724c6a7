"""Batches of MixMatch: all their chance drawn ahead, and many made at a time before they are needed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor

from seepage.learners.completion.complete_model import Completed, Start
from seepage.learners.completion.mixmatch import MixMatch, mixup, shares
from seepage.shapes import NO_ROWS, Array, Rows

CHUNK: Final = 2**22
"""How many numbers of mixed rows are made at a time."""
FORWARD: Final = 1024
"""How many rows go through frozen bottom models at a time."""


@dataclass(frozen=True, eq=False)
class Draws:
    """The draws of one epoch, iteration by iteration.

    Parameters
    ----------
    known, unlabelled
        The labeled and the unlabeled rows of each batch, by their places in the lists of such rows.
    partners
        The shuffle W of Algorithm 4: row i of a batch, labeled rows first, is mixed with row ``partners[i]`` of it.
    share
        λ' of Algorithm 5 for each row of a batch: how much of itself it keeps.
    """

    known: Rows
    unlabelled: Rows
    partners: Rows
    share: Array

    def part(self, iterations: slice) -> "Draws":
        """Return the draws of some iterations only."""
        arrays = (self.known, self.unlabelled, self.partners, self.share)
        return Draws(*(array[iterations] for array in arrays))


class Drawing:
    """Draws epochs without end: each list of rows is gone through in a new order every time around.

    Parameters
    ----------
    known, unlabelled
        How many labeled and unlabeled rows there are; fewer than a batch come up more than once in it.
    settings
        How large batches and epochs are, and how much is mixed.
    rng
        Where chance comes from.

    Examples
    --------
    Three labeled rows in three batches of two: each comes up twice.

    >>> draws = Drawing(3, 100, MixMatch(batch=2, iterations=3), np.random.default_rng(0)).epoch()
    >>> np.bincount(draws.known.ravel())
    array([2, 2, 2])
    >>> draws.partners.shape, bool(draws.share.min() >= 0.5)
    ((3, 4), True)
    """

    def __init__(self, known: int, unlabelled: int, settings: MixMatch, rng: Generator) -> None:
        self._known, self._unlabelled = _Deck(known, rng), _Deck(unlabelled, rng)
        self._settings, self._rng = settings, rng

    def epoch(self) -> Draws:
        """Draw all iterations of the next epoch."""
        size = (self._settings.iterations, self._settings.batch)
        whole = (size[0], 2 * size[1])
        return Draws(
            self._known.deal(size),
            self._unlabelled.deal(size),
            self._rng.permuted(np.broadcast_to(np.arange(whole[1]), whole), axis=1),
            shares(self._settings.alpha, whole, self._rng),
        )


class _Deck:
    """Places of a list, dealt from a shuffled deck; when it is used up, another is shuffled."""

    def __init__(self, size: int, rng: Generator) -> None:
        self._size, self._rng, self._left = size, rng, NO_ROWS

    def deal(self, size: tuple[int, int]) -> Rows:
        missing = max(0, size[0] * size[1] - len(self._left))
        decks = [self._rng.permutation(self._size) for _ in range(-(-missing // self._size))]
        dealt, self._left = np.split(np.concatenate((self._left, *decks)), [size[0] * size[1]])
        return dealt.reshape(size)


@dataclass(frozen=True, eq=False)
class Batch:
    """What one iteration needs; a first dimension counts the starts where there are several.

    Parameters
    ----------
    unlabelled
        What is asked of the model to guess the labels of unlabeled rows.
    mixed
        What is asked of it to learn from mixed rows, the labeled ones first.
    labels
        The labeled rows' labels, one-hot.
    partners, share
        The row of the batch that each row is mixed with, once for each class, and how much of itself it keeps.
    """

    unlabelled: Tensor
    mixed: tuple[Tensor, ...]
    labels: Tensor
    partners: Tensor
    share: Tensor


class Batches:
    """All batches of all starts, as the model parts that learn are given them.

    Where rows are mixed as they are, whole chunks are mixed ahead. Frozen bottom models are asked ahead, too:
    they treat each row for itself, so that only their outputs reach the iterations.

    Parameters
    ----------
    starts, drawings
        What is learned from, and the order in which it is.
    models
        Complete models whose bottom models are frozen in eval mode.
    settings
        How large batches and epochs are.
    frozen
        Whether inputs are what the bottom models make of the rows.
    """

    def __init__(
        self,
        starts: Sequence[Start],
        models: Sequence[Completed],
        drawings: Sequence[Drawing],
        settings: MixMatch,
        *,
        frozen: bool,
    ) -> None:
        parts = [_Part(start, model, frozen=frozen) for start, model in zip(starts, models, strict=True)]
        self._parts, self._drawings, self._iterations = parts, drawings, settings.iterations
        columns = max(start.features.shape[1] for start in starts)
        self._chunk = max(1, CHUNK // (len(starts) * 2 * settings.batch * columns))

    def epoch(self) -> Iterator[Batch]:
        """Draw the batches of the next epoch."""
        for together in self.chunks():
            for unlabelled, labels, partners, share, *mixed in zip(*(each.unbind() for each in together), strict=True):
                yield Batch(unlabelled, tuple(mixed), labels, partners, share)

    def chunks(self) -> Iterator[list[Tensor]]:
        """Draw the batches of the next epoch, many at a time.

        Yields guessing inputs, labels, partners, shares and learning inputs, with a first dimension for iterations.
        """
        draws = [drawing.epoch() for drawing in self._drawings]
        for first in range(0, self._iterations, self._chunk):
            some = slice(first, first + self._chunk)
            made = [part.chunk(drawn.part(some)) for part, drawn in zip(self._parts, draws, strict=True)]
            yield made[0] if len(made) == 1 else [torch.stack(each, dim=1) for each in zip(*made, strict=True)]


class _Part:
    """The rows of one start, ready to be picked."""

    def __init__(self, start: Start, model: Completed, *, frozen: bool) -> None:
        device, precision = start.features.device, model.head.precision
        self._model, self._known, self._unlabelled = model, start.known, start.unlabelled
        self._features = start.features.to(precision) if model.plain else start.features
        labels = torch.from_numpy(np.asarray(start.labels, dtype=np.int64)).to(device)
        self._labels = torch.nn.functional.one_hot(labels, model.head.classes).to(precision)
        mixing = (self._asked_ahead, self._mixed_ahead, self._to_mix)
        self._mixing: Callable[..., tuple[Tensor, ...]] = mixing[0 if frozen else 1 if model.plain else 2]
        self._frozen = frozen

    def chunk(self, draws: Draws) -> list[Tensor]:
        """Return guessing inputs, labels, partners, shares and learning inputs, iteration by iteration."""
        device, batch = self._features.device, draws.known.shape[1]
        picked = np.concatenate((self._known[draws.known], self._unlabelled[draws.unlabelled]), axis=1)
        rows = self._features[torch.from_numpy(picked).to(device)]
        labels = self._labels[torch.from_numpy(draws.known).to(device)]
        partners = torch.from_numpy(draws.partners).to(device)
        share = torch.from_numpy(draws.share).to(labels)
        guessing = self._asked(rows[:, batch:]) if self._frozen else rows[:, batch:]
        alike = partners.unsqueeze(-1).expand(-1, -1, labels.shape[-1])
        return [guessing, labels, alike, share, *self._mixing(rows, partners, share)]

    def _to_mix(self, rows: Tensor, partners: Tensor, share: Tensor) -> tuple[Tensor, ...]:
        return rows, partners, share

    def _mixed_ahead(self, rows: Tensor, partners: Tensor, share: Tensor) -> tuple[Tensor, ...]:
        second = rows.gather(1, partners.unsqueeze(-1).expand_as(rows))
        return (mixup(rows, second, share),)

    def _asked_ahead(self, rows: Tensor, partners: Tensor, share: Tensor) -> tuple[Tensor, ...]:
        size = partners.shape[1]
        said: list[Tensor] = []
        with torch.no_grad():
            for some in torch.split(torch.arange(len(rows), device=rows.device), max(1, FORWARD // size)):
                place = size * torch.arange(len(some), device=rows.device).unsqueeze(-1)
                flat = (partners[some] + place).flatten()
                mixed = self._model.mixed(rows[some].flatten(0, 1), flat, share[some].flatten())
                said.append(self._model.outputs(mixed))
        return (torch.cat(said).view(len(rows), size, -1),)

    def _asked(self, rows: Tensor) -> Tensor:
        flat = rows.flatten(0, 1)
        with torch.no_grad():
            said = [self._model.outputs(self._model.lower(some)) for some in torch.split(flat, FORWARD)]
        return torch.cat(said).view(*rows.shape[:2], -1)
