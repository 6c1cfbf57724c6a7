"""Convolutions along the columns of a party."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Final

from torch import nn

from seepage.errors import BadSetting
from seepage.layouts import Meaning
from seepage.networks.backbones import HeldColumns

KERNEL: Final = 3
PIECES: Final = 4


@dataclass(frozen=True)
class Convolution:
    """Convolutions over columns in an order that means something, such as measurements one after the other.

    Parameters
    ----------
    inputs
        How many columns there are.
    planes
        How many channels each convolution gives.
    outputs
        How many numbers are made of the mean of each channel over quarters of the columns.
    """

    name: ClassVar[str] = "convolution"
    reads: ClassVar[Meaning] = Meaning.TOGETHER

    inputs: int
    planes: tuple[int, ...]
    outputs: int

    @classmethod
    def fits(cls, part: HeldColumns) -> None:
        """Refuse fewer columns than a convolution spans."""
        if part.width < KERNEL:
            raise BadSetting(
                f"bottom is 'convolution', which spans {KERNEL} columns, but '{part.party}' holds {part.width}. "
                "Give it more columns, or use --model bottom=mlp."
            )

    @classmethod
    def of(cls, part: HeldColumns, outputs: int, settings: Mapping[str, Any]) -> "Convolution":
        """Read every column of a party, with the `planes` that a residual network would have."""
        return cls(part.width, tuple(settings["planes"]), outputs)

    def build(self) -> nn.Module:
        """Build the network: convolutions with ReLUs behind them, means, one linear layer."""
        layers: list[nn.Module] = [nn.Unflatten(1, (1, self.inputs))]
        for wide, narrow in pairwise((1, *self.planes)):
            layers += [nn.Conv1d(wide, narrow, KERNEL, padding=KERNEL // 2), nn.ReLU()]
        layers += [nn.AdaptiveAvgPool1d(PIECES), nn.Flatten(), nn.Linear(PIECES * self.planes[-1], self.outputs)]
        return nn.Sequential(*layers)
