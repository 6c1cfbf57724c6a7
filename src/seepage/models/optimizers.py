"""Optimizers as values; each party has its own."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import torch


@dataclass(frozen=True)
class OptimizerSettings:
    """Which optimizer a party uses on its own parameters, and how.

    >>> OptimizerSettings(name="sgd", learning_rate=-1)
    Traceback (most recent call last):
        ...
    ValueError: learning_rate must be above 0, got -1
    """

    name: Literal["adam", "sgd"] = "adam"
    learning_rate: float = 1e-3
    momentum: float = 0.0
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.learning_rate < math.inf:
            raise ValueError(f"learning_rate must be above 0, got {self.learning_rate}")
        if not 0 <= self.momentum < 1:
            raise ValueError(f"momentum must be in [0, 1), got {self.momentum}")
        if self.weight_decay < 0:
            raise ValueError(f"weight_decay must be 0 or more, got {self.weight_decay}")

    def build(self, parameters: Iterable[torch.nn.Parameter]) -> torch.optim.Optimizer:
        """Return the PyTorch optimizer."""
        if self.name == "adam":
            return torch.optim.Adam(
                parameters, lr=self.learning_rate, weight_decay=self.weight_decay, betas=(0.9, 0.999), fused=True
            )
        return torch.optim.SGD(
            parameters, lr=self.learning_rate, momentum=self.momentum, weight_decay=self.weight_decay, fused=True
        )
