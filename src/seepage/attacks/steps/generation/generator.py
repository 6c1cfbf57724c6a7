"""Networks that make up the columns one does not have, so that a model says what it said."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

import torch
from torch import Tensor, nn

from seepage.attacks.steps.generation.generator_settings import Decay
from seepage.networks.optimizers import forget_gradients
from seepage.shapes import Array

HIDDEN: Final = (600, 200, 100)
"""The widths of paper 002."""
FREE_RATE: Final = 0.05
"""The learning rate of values that stand for themselves."""
NEAR_EDGE: Final = 0.01
"""No value starts nearer to 0 or 1 than this."""
CHUNK: Final = 4096
"""Rows that are worked out together where nothing is learned."""


@dataclass(frozen=True, kw_only=True)
class GeneratorSettings:
    """How a generator is trained.

    Parameters
    ----------
    steps, batch
        How many steps of Adam, and over how many rows each; no batch is larger than there are rows.
    learning_rate, decay
        The rate of the first step, and whether it falls to 0 along half a cosine.
    variance_weight, variance_limit
        What it costs when generated columns vary more than the limit (`variance_penalty`).
    half_weight, half_end
        What it costs when generated values are far from ½ (`distance_from`),
        and to which share of itself that falls by the last step.
    """

    steps: int
    batch: int
    learning_rate: float
    decay: Decay
    variance_weight: float
    variance_limit: float
    half_weight: float
    half_end: float = 1.0


class FilledModel(nn.Module):
    """A frozen model of all columns, fed with known and generated ones; everything in units of each column's range.

    Parameters
    ----------
    model
        From encoded values of all columns to confidences.
    known, unknown
        The places of the columns that are given and of those that are generated.
    low, width
        Encoded values are ``low + width * unit``.
    middle
        What one would guess of each generated column, knowing nothing else; ½ by default.

    Examples
    --------
    >>> import numpy as np
    >>> one = FilledModel(nn.Identity(), np.array([1]), np.array([0, 2]), np.zeros(3), np.array([1.0, 10.0, 1.0]))
    >>> one(torch.tensor([[0.5]]), torch.tensor([[0.25, 0.75]]))
    tensor([[0.2500, 5.0000, 0.7500]])
    """

    def __init__(
        self, model: nn.Module, known: Array, unknown: Array, low: Array, width: Array, middle: Array | None = None
    ) -> None:
        super().__init__()
        self.unknown = len(unknown)
        self.model = model.float().requires_grad_(requires_grad=False).eval()
        places = torch.cat((torch.as_tensor(known), torch.as_tensor(unknown)))
        centre = torch.full((len(unknown),), 0.5) if middle is None else torch.as_tensor(middle)
        self.order = nn.Parameter(torch.argsort(places), requires_grad=False)
        self.low, self.width, self.middle = (
            nn.Parameter(torch.as_tensor(values).float(), requires_grad=False) for values in (low, width, centre)
        )

    def forward(self, own: Tensor, generated: Tensor) -> Tensor:
        """Return the confidences of completed rows."""
        units = torch.cat((own, generated), dim=1)[:, self.order]
        confidences: Tensor = self.model(self.low + self.width * units)
        return confidences


@dataclass(frozen=True, eq=False)
class Problem:
    """What a generator is to solve: values that make the model say what was released.

    Parameters
    ----------
    completion
        The model.
    own
        The known columns of each row, in units.
    read
        What the generator reads of each row; may have no columns.
    released
        The confidences to be met.
    """

    completion: FilledModel
    own: Tensor
    read: Tensor
    released: Tensor

    def of(self, rows: Tensor) -> "Problem":
        """Return the same for some of the rows."""
        return Problem(self.completion, self.own[rows], self.read[rows], self.released[rows])


class Generator(nn.Module):
    """From what is known of a row and a random vector to columns of others: layers with layer normalization and ReLU.

    Asked again, it draws another random vector, as long as there are columns to generate.

    Parameters
    ----------
    known, unknown
        How many numbers are read of each row, and how many columns are generated.
    noise
        Whether there is a random vector.
    start
        The first weights of the last layer, in multiples of PyTorch's. With
        small ones generated values start near the middle.
    middle
        Where the values of each column are to start; ½ by default.

    Examples
    --------
    >>> Generator(known=3, unknown=2)(torch.zeros(5, 3), torch.arange(5)).shape
    torch.Size([5, 2])
    """

    def __init__(
        self,
        known: int,
        unknown: int,
        *,
        noise: bool = True,
        start: float = 1.0,
        middle: Tensor | None = None,
        hidden: tuple[int, ...] = HIDDEN,
    ) -> None:
        super().__init__()
        self.unknown, self.noise = unknown, noise
        layers: list[nn.Module] = []
        for wide, narrow in pairwise((known + unknown * noise, *hidden)):
            layers += [nn.Linear(wide, narrow), nn.LayerNorm(narrow), nn.ReLU()]
        last = nn.Linear(hidden[-1], unknown)
        with torch.no_grad():
            last.weight.mul_(start)
            last.bias.mul_(start)
            if middle is not None:
                last.bias.add_(torch.logit(middle.cpu().clamp(NEAR_EDGE, 1 - NEAR_EDGE)))
        self.layers = nn.Sequential(*layers, last, nn.Sigmoid())

    def forward(self, read: Tensor, rows: Tensor) -> Tensor:
        """Return generated values between 0 and 1."""
        del rows  # a row is known by what is read of it only
        if self.noise:
            drawn = torch.randn(len(read), self.unknown, device=read.device)
            read = torch.cat((read, drawn), dim=1)
        values: Tensor = self.layers(read)
        return values


class FreeValues(nn.Module):
    """A value for each row and column that stands for itself, from a random start: case 4 of Table III.

    >>> FreeValues(rows=4, unknown=2)(torch.zeros(1, 3), torch.tensor([3])).shape
    torch.Size([1, 2])
    """

    def __init__(self, rows: int, unknown: int) -> None:
        super().__init__()
        self.values = nn.Embedding(rows, unknown, sparse=True)  # starts at N(0, 1)

    def forward(self, read: Tensor, rows: Tensor) -> Tensor:
        """Return the values of some rows, between 0 and 1."""
        del read
        return torch.sigmoid(self.values(rows))


Guesser: TypeAlias = Generator | FreeValues


def variance_penalty(units: Tensor, limit: float) -> Tensor:
    r"""Return :math:`\frac{1}{d} \sum_i \max(0, \mathrm{var}_i - limit)` over the generated columns of a batch.

    The variance is the unbiased one, so that its mean depends neither on the
    size of the batch nor on the number of columns. A single row does not vary.

    >>> variance_penalty(torch.tensor([[0.0, 0.5], [1.0, 0.5]]), limit=0.1)
    tensor(0.2000)
    """
    if len(units) < 2:
        return units.new_zeros(())
    return torch.relu(units.var(dim=0) - limit).mean()


def distance_from(units: Tensor, middle: Tensor) -> Tensor:
    """Return the mean squared distance of generated values from the middle of each column's range.

    >>> distance_from(torch.tensor([[0.0, 0.5]]), torch.tensor([0.5, 0.5]))
    tensor(0.1250)
    """
    return (units - middle).square().mean()


def confidence_error(said: Tensor, released: Tensor) -> Tensor:
    """Return the squared distance between confidences, summed over classes, in the mean over rows."""
    return (said - released).square().sum(dim=1).mean()


def train_generator(guesser: Guesser, problem: Problem, rows: Tensor, settings: GeneratorSettings) -> None:
    """Train on some rows until they get the released confidences: Algorithm 2 of paper 002, with Eq. 9 as the loss."""
    optimizer = _optimizer(guesser, settings)
    batches = _batches(problem, rows, settings.batch)
    for step in range(settings.steps):
        if settings.decay == "cosine":
            for group in optimizer.param_groups:
                group["lr"] = group["initial_lr"] * (1 + math.cos(math.pi * step / settings.steps)) / 2
        chosen, part = next(batches)
        units = guesser(part.read, chosen)
        loss = confidence_error(part.completion(part.own, units), part.released)  # Eq. 9
        if settings.variance_weight:
            loss = loss + settings.variance_weight * variance_penalty(units, settings.variance_limit)
        if settings.half_weight:
            weight = settings.half_weight * settings.half_end ** (step / settings.steps)
            loss = loss + weight * distance_from(units, part.completion.middle)
        forget_gradients(optimizer)
        torch.autograd.backward([loss])
        optimizer.step()


def generated(guesser: Guesser, read: Tensor, draws: int = 1) -> Tensor:
    """Return what is generated for all rows: the mean over some draws of the random vector."""
    with torch.no_grad():
        pieces = torch.split(torch.arange(len(read), device=read.device), CHUNK)
        return torch.cat([sum(guesser(read[rows], rows) for _ in range(draws)) / draws for rows in pieces])


def completed(completion: FilledModel, own: Tensor, units: Tensor) -> Tensor:
    """Return the confidences of all rows, completed with generated values."""
    with torch.no_grad():
        pieces = zip(torch.split(own, CHUNK), torch.split(units, CHUNK), strict=True)
        return torch.cat([completion(*piece) for piece in pieces])


def _optimizer(guesser: Guesser, settings: GeneratorSettings) -> torch.optim.Optimizer:
    if isinstance(guesser, FreeValues):
        optimizer: torch.optim.Optimizer = torch.optim.SparseAdam(guesser.parameters(), lr=FREE_RATE)
    else:
        optimizer = torch.optim.Adam(guesser.parameters(), lr=settings.learning_rate, fused=True)
    for group in optimizer.param_groups:
        group["initial_lr"] = group["lr"]
    return optimizer


def _batches(problem: Problem, rows: Tensor, batch: int) -> Iterator[tuple[Tensor, Problem]]:
    """Go over the rows in ever new orders; rows that would make a batch too small wait for another order."""
    batch = min(batch, len(rows))
    if batch == len(rows):  # in whatever order they come
        whole = problem.of(rows)
        while True:
            yield rows, whole
    while True:
        order = rows[torch.randperm(len(rows)).to(rows.device)]
        shuffled = problem.of(order)
        for start in range(0, len(rows) - batch + 1, batch):
            piece = slice(start, start + batch)
            own, read, released = shuffled.own[piece], shuffled.read[piece], shuffled.released[piece]
            yield order[piece], Problem(problem.completion, own, read, released)
