"""Batches of MixMatch, made many at a time before they are needed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from seepage.learners.completion.complete_model import Completed
from seepage.learners.completion.draws import Drawing, Draws
from seepage.learners.completion.mixmatch import MixMatch, mixup
from seepage.learners.completion.starts import Start

CHUNK: Final = 2**22
"""How many numbers of mixed rows are made at a time."""
FORWARD: Final = 1024
"""How many rows go through frozen bottom models at a time."""


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
