"""Optimizers as values; each party has its own."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import torch

Schedule: TypeAlias = Callable[[int], float]
"""By how much the first learning rate is multiplied in an epoch, by its number."""
ROUNDING: Final = 1e-9
"""What is missing of a milestone by less than this was lost in rounding."""


@dataclass(frozen=True)
class OptimizerSettings:
    """Which optimizer a party uses on its own parameters, and how.

    Parameters
    ----------
    name
        ``adam`` or ``sgd``.
    learning_rate
        The rate in the first epoch.
    momentum
        How much of its last step SGD keeps.
    weight_decay
        The factor of the L2 penalty.
    milestones
        Shares of training after which the rate is multiplied by `factor`, such as 0.5 and 0.85; none keeps it.
    factor
        What it is multiplied by at every milestone.

    Examples
    --------
    >>> OptimizerSettings(name="sgd", learning_rate=-1)
    Traceback (most recent call last):
        ...
    ValueError: learning_rate must be above 0, got -1
    """

    name: Literal["adam", "sgd"] = "adam"
    learning_rate: float = 1e-3
    momentum: float = 0.0
    weight_decay: float = 0.0
    milestones: tuple[float, ...] = ()
    factor: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.learning_rate < math.inf:
            raise ValueError(f"learning_rate must be above 0, got {self.learning_rate}")
        if not 0 <= self.momentum < 1:
            raise ValueError(f"momentum must be in [0, 1), got {self.momentum}")
        if self.weight_decay < 0:
            raise ValueError(f"weight_decay must be 0 or more, got {self.weight_decay}")
        if not all(0 < share < 1 for share in self.milestones):
            raise ValueError(f"milestones must be shares of training between 0 and 1, got {list(self.milestones)}")
        if not 0 < self.factor < math.inf:
            raise ValueError(f"factor must be above 0, got {self.factor}")

    def build(self, parameters: Iterable[torch.nn.Parameter]) -> torch.optim.Optimizer:
        """Return the PyTorch optimizer."""
        if self.name == "adam":
            return torch.optim.Adam(
                parameters, lr=self.learning_rate, weight_decay=self.weight_decay, betas=(0.9, 0.999), fused=True
            )
        return torch.optim.SGD(
            parameters, lr=self.learning_rate, momentum=self.momentum, weight_decay=self.weight_decay, fused=True
        )

    def schedule(self, epochs: int) -> Schedule:
        """Return by how much the rate is multiplied in each of so many epochs.

        A milestone is passed in the first epoch that has at least its share of all epochs before it.

        >>> schedule = OptimizerSettings(milestones=(0.5, 0.85)).schedule(epochs=30)
        >>> [schedule(14), schedule(15), schedule(25), round(schedule(26), 4)]
        [1.0, 0.1, 0.1, 0.01]
        """
        starts = [share * epochs - ROUNDING for share in self.milestones]
        return lambda epoch: self.factor ** sum(epoch >= start for start in starts) if starts else 1.0


def steady(epoch: int) -> float:
    """Keep the rate in every epoch."""
    del epoch
    return 1.0


def pace(optimizer: torch.optim.Optimizer, share: float) -> None:
    """Set the rates of an optimizer to a share of what they were at first; one without a rate has a share of 1 only.

    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.5)
    >>> pace(optimizer, 0.1)
    >>> optimizer.param_groups[0]["lr"]
    0.05
    """
    for group in optimizer.param_groups:
        if share != 1 or "initial_lr" in group:
            group["lr"] = group.setdefault("initial_lr", group["lr"]) * share


def forget_gradients(optimizer: torch.optim.Optimizer) -> None:
    """Leave no gradient behind, as `zero_grad` does, without the records that it keeps for profilers.

    >>> weight = torch.nn.Parameter(torch.ones(1))
    >>> weight.sum().backward()
    >>> forget_gradients(torch.optim.SGD([weight], lr=0.5))
    >>> weight.grad is None
    True
    """
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None
