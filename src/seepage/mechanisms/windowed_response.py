"""Answers that hide one number: randomized response among evenly spaced ones."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.checks import check_least, check_positive
from seepage.shapes import Array, Matrix

LEVELS: Final = 256
"""How many answers there are: one byte for each number."""


@dataclass(frozen=True)
class WindowedResponse:
    r"""Answer for a number in a range with one of a few fixed numbers; near ones are e^ε times as probable.

    There are *m* answers, evenly spaced. A number *x*, clipped to the range,
    opens a window of *d* answers next to each other. Its place is linear in *x*,
    from the lowest *d* answers at `low` to the highest at `high`, and rounded up
    or down at random so that it is right on average. Each answer has the probability

    .. math::

        \frac{e^\varepsilon}{Z} \text{ inside the window}, \qquad \frac{1}{Z} \text{ outside}, \qquad
        Z = d \, e^\varepsilon + m - d.

    Every window has as many answers, so *Z* is the same for all *x*: any answer
    is at most :math:`e^\varepsilon` times as probable under one *x* as under
    another, and that is attained. The answers reach beyond the range, just as
    far as makes their mean *x*: over a range of −1 to 1, from −A to A with

    .. math:: A = \frac{Z \, (m - 1)}{(e^\varepsilon - 1) \, d \, (m - d)}.

    With two levels this is randomized response between two numbers; with more
    and more it becomes the piecewise mechanism of [1]_, whose width of the
    window, :math:`d / m \approx 1 / (e^{\varepsilon / 2} + 1)`, is taken over.

    Parameters
    ----------
    epsilon
        :math:`\varepsilon`, spent on each number.
    low, high
        The range, which must not depend on the numbers.
    levels
        *m*.

    Examples
    --------
    >>> response = WindowedResponse(epsilon=np.log(3), low=0.0, high=1.0, levels=3)
    >>> response.answers
    array([-0.75,  0.5 ,  1.75])
    >>> response.probabilities(np.array([0.0, 0.25, 1.0]))
    array([[0.6, 0.2, 0.2],
           [0.4, 0.4, 0.2],
           [0.2, 0.2, 0.6]])
    >>> (response.probabilities(np.array([0.0, 0.25, 1.0])) @ response.answers).round(9)
    array([0.  , 0.25, 1.  ])

    References
    ----------
    .. [1] N. Wang et al., "Collecting and Analyzing Multidimensional Data with
       Local Differential Privacy", ICDE 2019.
    """

    epsilon: float
    low: float
    high: float
    levels: int = LEVELS

    def __post_init__(self) -> None:
        check_positive(epsilon=self.epsilon)
        if not -math.inf < self.low < self.high < math.inf:
            raise ValueError(f"the range must go from a lower to a higher number, got {self.low} to {self.high}")
        check_least(2, levels=self.levels)

    @property
    def window(self) -> int:
        """How many answers are near a number; at most half of them."""
        share = math.exp(-self.epsilon / 2) / (1 + math.exp(-self.epsilon / 2))
        return max(1, round(share * self.levels))

    @property
    def far(self) -> float:
        """The probability of an answer outside the window."""
        others = (self.levels - self.window) * math.exp(-self.epsilon)
        return others / (self.window + others)

    @property
    def answers(self) -> Array:
        """All answers in ascending order."""
        window, outside = self.window, self.levels - self.window
        total = window + outside * math.exp(-self.epsilon)  # Z / e^ε, which does not overflow
        reach = total * (self.levels - 1) / (-math.expm1(-self.epsilon) * window * outside)
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        return np.asarray(middle + half * reach * np.linspace(-1.0, 1.0, self.levels))

    def probabilities(self, values: Array) -> Matrix:
        """Return how probable each answer is, numbers by answers."""
        place = self._place(np.asarray(values, dtype=np.float64))
        below = np.floor(place)
        upper = place - below
        return (1 - upper)[:, None] * self._of_window(below) + upper[:, None] * self._of_window(np.ceil(place))

    def release(self, values: Matrix, rng: Generator) -> Matrix:
        """Answer for every number once; shape and type are kept.

        >>> WindowedResponse(epsilon=8.0, low=0.0, high=1.0).release(np.array([[0.0, 0.5]]), np.random.default_rng(0))
        array([[-0.01264324,  0.48986871]])
        """
        place = self._place(values.astype(np.float64))
        first = np.floor(place + rng.random(values.shape)).astype(np.int64).clip(0, self.levels - self.window)
        near = first + rng.integers(self.window, size=values.shape)
        other = rng.integers(self.levels - self.window, size=values.shape)
        elsewhere = np.where(other < first, other, other + self.window)
        # A draw is a multiple of 2⁻⁵³, so this is true at least as often as it should be: rounding costs no privacy.
        strays = rng.random(values.shape) < self.far
        return np.asarray(self.answers.astype(values.dtype)[np.where(strays, elsewhere, near)])

    def _place(self, values: Array) -> Array:
        """Return where the window of each number begins, before rounding; what is no number counts as `low`."""
        clipped = np.clip(np.nan_to_num(values, nan=self.low), self.low, self.high)
        share = (clipped - self.low) / (self.high - self.low)
        return np.asarray(share * (self.levels - self.window))

    def _of_window(self, first: Array) -> Matrix:
        behind = np.arange(self.levels) - first[:, None]
        inside = (behind >= 0) & (behind < self.window)
        return np.where(inside, (1 - self.far) / self.window, self.far / (self.levels - self.window))
