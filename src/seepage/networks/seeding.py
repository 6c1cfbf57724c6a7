"""PyTorch's chance kept in a box."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from numpy.random import Generator

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
