"""Noise on gradients."""

import math
from dataclasses import dataclass, replace

from numpy.random import Generator

from seepage.hooks import Defense, Hook, Seam, on_message
from seepage.messages import Kind, Message
from seepage.partition import OwnPart


@dataclass(frozen=True, kw_only=True)
class LaplaceNoise(Defense):
    r"""Add Laplace noise of one scale to every gradient value before it is sent.

    .. math:: \tilde g_{ij} = g_{ij} + \mathrm{Lap}(0, b)

    "Noisy gradients" of paper 001, §6.1. The scale is absolute: what it drowns
    depends on the batch, since the gradient of a mean loss shrinks as 1/batch.
    It promises no differential privacy: gradients are not clipped, and noise
    drawn anew in every epoch averages out over epochs.

    Parameters
    ----------
    scale
        :math:`b`; 0 changes nothing.
    """

    acts_on = frozenset({Seam.MESSAGE})
    rewrites = frozenset({Kind.GRADIENT})

    scale: float = 1e-2

    def __post_init__(self) -> None:
        if not 0 <= self.scale < math.inf:
            raise ValueError(f"scale must be 0 or more and finite, got {self.scale}")

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: remember the generator, and nothing else."""
        del own_part
        return on_message(Kind.GRADIENT, lambda message: self._noisy(message, rng))

    def _noisy(self, message: Message, rng: Generator) -> Message:
        gradient = message.payload["gradient"]
        noise = rng.laplace(scale=self.scale, size=gradient.shape).astype(gradient.dtype)
        return replace(message, payload={"gradient": gradient + noise})
