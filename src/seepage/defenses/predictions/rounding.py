"""Fewer digits."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.checks import check_between
from seepage.hooks import Defense, Hook, Seam
from seepage.messages import Message
from seepage.partition import OwnPart
from seepage.shapes import Matrix

MOST_DIGITS: Final = 15
"""Float64 keeps no more."""


@dataclass(frozen=True, kw_only=True)
class Rounding(Defense):
    r"""Round released confidences down to a few decimal digits.

    "Rounding confidence scores" of paper 002, §VII: a confidence *v* is released as
    :math:`\lfloor 10^b v \rfloor / 10^b`. Everybody sees the same rounded vector,
    the active party included, so what it costs is measured on that vector.

    Confidences are not scaled up again: they add up to less than one. Anyone can
    see that they were rounded and to how many digits, and an attack may reckon
    with that. A confidence still tells an interval of width :math:`10^{-b}`.

    Parameters
    ----------
    digits
        *b*, how many decimal digits are left; paper 002 tries 1 and 3.

    Notes
    -----
    "Down" means to the largest float64 of *b* digits that is not above *v*, so
    that a confidence which already has *b* digits stays as it is.
    """

    acts_on = frozenset({Seam.RELEASE})

    digits: int = 2

    def __post_init__(self) -> None:
        check_between(0, MOST_DIGITS, digits=self.digits)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: the active party rounds what it releases; there is nothing to remember."""
        del rng
        return Hook() if own_part.labels is None else Hook(release=self._rounded)

    def _rounded(self, message: Message) -> Message:
        confidence = rounded_down(message.payload["confidence"], self.digits)
        return replace(message, payload={**message.payload, "confidence": confidence})


def rounded_down(numbers: Matrix, digits: int) -> Matrix:
    """Return for each number the largest one of some decimal digits that is not above it.

    >>> rounded_down(np.array([0.3, 0.29, 0.999, 1.0]), digits=1)
    array([0.3, 0.2, 0.9, 1. ])
    """
    exact = np.asarray(numbers, dtype=np.float64)
    scale = 10.0**digits
    whole = np.floor(exact * scale)
    whole = np.where((whole + 1) / scale <= exact, whole + 1, whole)  # 0.29 × 100 is 28.999… in float64
    whole = np.where(whole / scale > exact, whole - 1, whole)
    return np.asarray(whole / scale)
