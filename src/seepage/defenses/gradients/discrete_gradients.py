"""Coarser gradients."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.random import Generator

from seepage.checks import check_counts
from seepage.hooks import Defense, Hook, Seam, on_message
from seepage.messages import Kind, Message
from seepage.partition import OwnPart
from seepage.shapes import Matrix


@dataclass(frozen=True, kw_only=True)
class DiscreteGradients(Defense):
    r"""Round gradient values to a few levels around their mean; outliers are set to zero.

    "DiscreteSGD" of paper 001, §6.1. During the first epoch the active party
    measures the mean μ and the standard deviation σ of all gradient values. From
    then on a value outside :math:`[\mu - 2\sigma, \mu + 2\sigma]` is discarded
    (sent as 0), and any other is rounded to the nearest of the *N* + 1 end
    points of *N* equal intervals.

    While it measures, something has to be sent. The paper is silent on that, and
    in the clear the first epoch gives away everything that a single gradient
    gives away.

    Parameters
    ----------
    intervals
        :math:`N`.
    warm_up
        What the first epoch sends: ``clear`` the gradients as they are, ``silent``
        zeros, so that passive parties learn nothing in that epoch.

    Notes
    -----
    The authors' code rounds to multiples of a constant and measures nothing.
    """

    acts_on = frozenset({Seam.MESSAGE})
    rewrites = frozenset({Kind.GRADIENT})

    intervals: int = 12
    warm_up: Literal["clear", "silent"] = "silent"

    def __post_init__(self) -> None:
        check_counts(intervals=self.intervals)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run with nothing measured."""
        del own_part, rng
        moments = Moments()
        return on_message(Kind.GRADIENT, lambda message: self._discrete(message, moments))

    def _discrete(self, message: Message, moments: "Moments") -> Message:
        gradient = message.payload["gradient"]
        if message.epoch == 0:
            moments.add(gradient)
            sent = gradient if self.warm_up == "clear" else np.zeros_like(gradient)
        else:
            low, high = moments.mean - 2 * moments.deviation, moments.mean + 2 * moments.deviation
            sent = discretize(gradient, low, high, self.intervals)
        return replace(message, payload={"gradient": sent})


@dataclass
class Moments:
    """Mean and standard deviation of all values seen so far.

    >>> moments = Moments()
    >>> moments.add(np.array([1.0, 3.0]))
    >>> moments.add(np.array([5.0]))
    >>> moments.mean, round(moments.deviation ** 2, 12)
    (3.0, 2.666666666667)
    """

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, values: Matrix) -> None:
        """Take more values into account."""
        wide = values.astype(np.float64)
        self.count += wide.size
        self.total += float(wide.sum())
        self.squares += float(np.square(wide).sum())

    @property
    def mean(self) -> float:
        """μ."""
        return self.total / self.count

    @property
    def deviation(self) -> float:
        """σ."""
        return float(np.sqrt(max(0.0, self.squares / self.count - self.mean**2)))


def discretize(gradient: Matrix, low: float, high: float, intervals: int) -> Matrix:
    """Round to the nearest end point of equal intervals; set to zero what lies outside.

    >>> discretize(np.array([1.6, 0.2, 2.5]), low=0.0, high=2.0, intervals=2)
    array([2., 0., 0.])
    """
    width = (high - low) / intervals
    if width == 0:
        return np.where(gradient == low, gradient, 0).astype(gradient.dtype)
    rounded = low + np.round((gradient - low) / width) * width
    return np.where((gradient >= low) & (gradient <= high), rounded, 0).astype(gradient.dtype)
