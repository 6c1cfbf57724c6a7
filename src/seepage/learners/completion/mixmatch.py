"""MixMatch without augmentation: learning from a few labeled rows and many others (paper 001, Appendix B)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.checks import check_below_one, check_choice, check_counts, check_least, check_not_negative, check_positive
from seepage.shapes import Array

if TYPE_CHECKING:  # settings are read where PyTorch is not needed yet
    from torch import Tensor

Selection: TypeAlias = Literal["labelled-loss", "last"]
BottomKind: TypeAlias = Literal["auto", "frozen", "tuned"]


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
    entropy_weight, entropy_margin
        MixText's loss on unlabeled rows that the model is not sure of: the mean of what their entropy (in nats) exceeds
        the margin by, with a weight that grows as λ_U does. A weight of 0 leaves it out, as Eq. 7 does.
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
    Texts are mixed in the middle of a Transformer, which is what paper 001 takes from MixText (Chen et al., ACL 2020);
    its loss on entropy is as in that paper's code. What is left out of MixText: back-translation, for which there is
    no translator, and its Kullback-Leibler divergence in the place of Eq. 6.

    Examples
    --------
    >>> MixMatch(temperature=0)
    Traceback (most recent call last):
    ValueError: temperature must be above 0 and finite, got 0
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
    entropy_weight: float = 0.0
    entropy_margin: float = 0.7
    select: Selection = "labelled-loss"
    every_epoch: bool = False
    patience: int = 0

    def __post_init__(self) -> None:
        check_positive(temperature=self.temperature, alpha=self.alpha, learning_rate=self.learning_rate)
        check_not_negative(unlabelled_weight=self.unlabelled_weight, weight_decay=self.weight_decay)
        check_not_negative(entropy_weight=self.entropy_weight, entropy_margin=self.entropy_margin)
        check_counts(epochs=self.epochs, iterations=self.iterations)
        check_least(0, patience=self.patience)
        if self.batch < 2:
            raise ValueError(f"batch must be 2 or more, since batches are normalized, got {self.batch}")
        check_choice(Selection, select=self.select)
        check_below_one(ema=self.ema)

    def ramp(self, step: int) -> float:
        """Return the weight of the unlabeled loss at one step of the whole run.

        >>> settings = MixMatch(epochs=2, iterations=5)
        >>> settings.ramp(0), settings.ramp(5)
        (0.0, 25.0)
        """
        return self.unlabelled_weight * self._gone(step)

    def entropy_ramp(self, step: int) -> float:
        """Return the weight of the loss on entropy at one step of the whole run."""
        return self.entropy_weight * self._gone(step)

    def _gone(self, step: int) -> float:
        return step / (self.epochs * self.iterations)

    def averaging(self, step: int) -> float:
        """Return how much of the running average one step keeps: little at first, `ema` in the end.

        >>> MixMatch().averaging(0), MixMatch().averaging(10**6)
        (0.1, 0.999)
        """
        return min(self.ema, (1 + step) / (10 + step))


FROZEN: Final = MixMatch(epochs=40, iterations=50, patience=3)
"""Under a frozen bottom model: up to 2,000 steps, for as long as the labelled rows are told better and better."""
TUNED: Final = MixMatch()
"""Where the bottom model learns on: 300 steps. It learns the labelled rows by heart: their loss ends nothing."""
LABELS_PER_CLASS: Final = 4
BOTTOM_LEARNING_RATE: Final = 1e-4
"""A twentieth of the head's or less: at the head's own rate, fine-tuning destroys what the bottom model has learned."""


def check_bottom(bottom: str, bottom_learning_rate: float) -> None:
    """Refuse what is no way to treat a bottom model, and a rate at which it could not be tuned."""
    check_choice(BottomKind, bottom=bottom)
    check_positive(bottom_learning_rate=bottom_learning_rate)


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
