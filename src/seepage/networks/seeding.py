"""PyTorch's chance kept in a box."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import torch
from numpy.random import Generator
from torch import Tensor, nn

from seepage.randomness import fresh_seed


@contextmanager
def torch_seeded(rng: Generator) -> Iterator[None]:
    """Draw all that PyTorch draws inside from `rng`, and leave its global state as it was.

    On a GPU only convolutions that repeat themselves are used, so that one seed gives one answer there too.

    >>> import numpy as np
    >>> def draw():
    ...     with torch_seeded(np.random.default_rng(3)):
    ...         return torch.rand(1).item()
    >>> draw() == draw()
    True
    """
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
    repeatable = torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False)
    with torch.random.fork_rng(devices=devices), repeatable:
        torch.manual_seed(fresh_seed(rng))
        yield


STEADY: Final = frozenset({nn.Sequential, nn.Linear, nn.ReLU, nn.Identity})
"""Modules that are known to draw nothing; others may."""


def draws_nothing(network: nn.Module) -> bool:
    """Whether a network is known to compute the same from the same, whatever chance there is.

    >>> draws_nothing(nn.Sequential(nn.Linear(2, 3), nn.ReLU())), draws_nothing(nn.Sequential(nn.Dropout()))
    (True, False)
    """
    return all(type(module) in STEADY for module in network.modules())


class OwnDraws:
    """PyTorch's chance of one party: what others draw in the same process changes nothing of it, nor it of theirs.

    >>> import numpy as np
    >>> def drawn(between):
    ...     own = OwnDraws(np.random.default_rng(3), "cpu")
    ...     with own:
    ...         first = torch.rand(1).item()
    ...     torch.rand(between)
    ...     with own:
    ...         return first, torch.rand(1).item()
    >>> drawn(0) == drawn(7), len(set(drawn(0)))
    (True, 2)
    """

    def __init__(self, rng: Generator, device: str) -> None:
        self._device = device
        self._own = torch.Generator(device).manual_seed(fresh_seed(rng)).get_state()
        self._others: Tensor | None = None

    def __enter__(self) -> None:
        self._others = self._exchanged(self._own)

    def __exit__(self, *failed: object) -> None:
        assert self._others is not None
        self._own = self._exchanged(self._others)

    def _exchanged(self, state: Tensor) -> Tensor:
        """Draw from another state from now on, and return the one before."""
        if self._device == "cpu":
            before = torch.get_rng_state()
            torch.set_rng_state(state)
        else:
            before = torch.cuda.get_rng_state(self._device)
            torch.cuda.set_rng_state(state, self._device)
        return before
