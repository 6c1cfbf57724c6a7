"""Noise on gradients."""

from dataclasses import dataclass, replace

from numpy.random import Generator

from seepage.checks import check_not_negative
from seepage.hooks import Defense, Hook, Seam, on_gradient
from seepage.messages import Kind
from seepage.partition import OwnPart
from seepage.shapes import Matrix


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
    both_sides
        Whether the gradients of the active party's own side are noised as well, as where a third party that all trust
        hands out all gradients (D1 of paper 000, §VII-A).
    """

    acts_on = frozenset({Seam.MESSAGE})
    rewrites = frozenset({Kind.GRADIENT})

    scale: float = 1e-2
    both_sides: bool = False

    def __post_init__(self) -> None:
        check_not_negative(scale=self.scale)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: remember the generator, and nothing else."""
        del own_part

        def noisy(gradient: Matrix) -> Matrix:
            return gradient + rng.laplace(scale=self.scale, size=gradient.shape).astype(gradient.dtype)

        return replace(on_gradient(noisy), own_side=self.both_sides)
