"""MixMatch without augmentation: learning from a few labeled rows and many others (paper 001, Appendix B)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
from numpy.random import Generator

from seepage.shapes import Array

if TYPE_CHECKING:  # settings are read where PyTorch is not needed yet
    from torch import Tensor

Selection: TypeAlias = Literal["labelled-loss", "last"]


@dataclass(frozen=True, kw_only=True)
class MixMatch:
    """How the customized MixMatch of paper 001 is run.

    Parameters
    ----------
    temperature
        T of Eq. 4: below 1 the guessed labels of unlabeled rows are made more certain, at 1 they stay as they are.
    alpha
        Shares of mixed rows are drawn from Beta(α, α): near 0 hardly anything is mixed.
    unlabelled_weight
        λ_U of Eq. 7 at the end of the run; it grows in a straight line from 0 at the first iteration.
    epochs, iterations
        How many epochs at most, and how many steps of the optimizer each has.
    patience
        Learning ends after so many epochs without a new least loss on the labeled rows; 0 never ends it early.
        λ_U grows as if it went on to the last epoch.
    batch
        How many labeled rows each step takes, and how many unlabeled ones.
    learning_rate
        The rate of Adam for the inference head.
    ema
        How much of the running average of the parameters each step keeps; less in the first steps
        (`averaging`).
    select
        Which epoch's averaged model counts: the one with the least loss on the labeled rows
        (``labelled-loss``), or the ``last``. Neither looks at any other label.
    every_epoch
        Whether the labels after every epoch are kept, to be scored beside; it takes its time on many rows.
    weight_decay
        Before each step all parameters that are trained shrink by this times their learning rate (AdamW).

    Notes
    -----
    T, α, λ_U and the average are those of the paper and of its authors' code, which takes 1024 iterations
    an epoch of 16 rows each, at a rate of 2e-3. Fewer iterations with more rows at a higher rate take a
    fraction of the time and are as good; they were chosen on data sets for which no completion is reported
    (drive, phishing, parkinson). As λ_U grows, everything may drift into one class; the loss on the labeled
    rows tells, so the epoch is chosen by it. The authors choose by the true labels of all rows. The warm-up
    of the average is ours: without it, few iterations would still carry much of the first weights.

    Examples
    --------
    >>> MixMatch(temperature=0)
    Traceback (most recent call last):
    ValueError: temperature must be above 0, got 0
    """

    temperature: float = 0.8
    alpha: float = 0.75
    unlabelled_weight: float = 50.0
    epochs: int = 10
    iterations: int = 30
    batch: int = 64
    learning_rate: float = 6e-3
    ema: float = 0.999
    weight_decay: float = 0.02
    select: Selection = "labelled-loss"
    every_epoch: bool = False
    patience: int = 0

    def __post_init__(self) -> None:
        for name in ("temperature", "alpha", "learning_rate"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)}")
        for name in ("unlabelled_weight", "weight_decay"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} must be 0 or more, got {getattr(self, name)}")
        for name in ("epochs", "iterations"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)}")
        if self.patience < 0:
            raise ValueError(f"patience must be 0 or more, got {self.patience}")
        if self.batch < 2:
            raise ValueError(f"batch must be 2 or more, since batches are normalized, got {self.batch}")
        if self.select not in get_args(Selection):
            raise ValueError(f"select must be one of {', '.join(get_args(Selection))}, got {self.select!r}")
        if not 0 <= self.ema < 1:
            raise ValueError(f"ema must be at least 0 and below 1, got {self.ema}")

    def ramp(self, step: int) -> float:
        """Return the weight of the unlabeled loss at one step of the whole run.

        >>> settings = MixMatch(epochs=2, iterations=5)
        >>> settings.ramp(0), settings.ramp(5)
        (0.0, 25.0)
        """
        return self.unlabelled_weight * step / (self.epochs * self.iterations)

    def averaging(self, step: int) -> float:
        """Return how much of the running average one step keeps: little at first, `ema` in the end.

        >>> MixMatch().averaging(0), MixMatch().averaging(10**6)
        (0.1, 0.999)
        """
        return min(self.ema, (1 + step) / (10 + step))


def shares(alpha: float, size: tuple[int, ...], rng: Generator) -> Array:
    """Draw λ' = max(λ, 1 - λ) with λ from Beta(α, α): how much each mixed row has of its first (Algorithm 5)."""
    if alpha <= 0:
        raise ValueError(f"alpha must be above 0, got {alpha}")
    drawn = rng.beta(alpha, alpha, size)
    return np.asarray(np.maximum(drawn, 1 - drawn))


def mixup(first: "Tensor", second: "Tensor", share: "Tensor") -> "Tensor":
    """Mix rows pair by pair: λ' of the first and the rest of the second (Algorithm 5 of paper 001).

    Rows and their label distributions are mixed alike, each by a call of its own.

    Parameters
    ----------
    first, second
        Rows of any shape.
    share
        λ' of each row, as `shares` draws it.

    Examples
    --------
    >>> import torch
    >>> mixup(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]]), torch.tensor([0.75]))
    tensor([[0.7500, 0.2500]])
    """
    beside = share.reshape(*share.shape, *(1,) * (first.dim() - share.dim()))
    return second.lerp(first, beside)
