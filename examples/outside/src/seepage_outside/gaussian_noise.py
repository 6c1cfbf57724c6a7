"""Noise in proportion to the longest gradient."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from seepage.hooks import Hook, Seam, on_message
from seepage.messages import Kind, Message
from seepage.partition import OwnPart


@dataclass(frozen=True, kw_only=True)
class GaussianNoise:
    """Add noise about `ratio` times as long as the longest gradient of the batch.

    A ratio of 0 changes nothing. It promises no differential privacy.
    """

    acts_on: ClassVar[frozenset[Seam]] = frozenset({Seam.MESSAGE})
    rewrites: ClassVar[frozenset[Kind]] = frozenset({Kind.GRADIENT})

    ratio: float = 1.0

    def __post_init__(self) -> None:
        if self.ratio < 0:
            raise ValueError(f"ratio must be 0 or more, got {self.ratio}")

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: remember the generator, and nothing else."""
        del own_part
        return on_message(Kind.GRADIENT, lambda message: self.noisy(message, rng))

    def noisy(self, message: Message, rng: Generator) -> Message:
        """Return the message with noise on every row."""
        gradient = message.payload["gradient"]
        rows, width = gradient.shape
        longest = np.linalg.norm(gradient, axis=1).max(initial=0.0)
        noise = rng.normal(scale=self.ratio * longest / np.sqrt(width), size=(rows, width))
        return replace(message, payload={"gradient": gradient + noise.astype(gradient.dtype)})
