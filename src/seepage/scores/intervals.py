"""Means over seeds, and how sure one can be of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from seepage.randomness import stream
from seepage.scores.metrics import NARROW
from seepage.scores.score import advantage
from seepage.shapes import Matrix

RESAMPLES = 2000


@dataclass(frozen=True)
class Interval:
    """An estimate with a 95 % bootstrap interval; no interval from a single seed.

    >>> print(Interval(0.5, 0.4124, 0.6176)), print(Interval(0.5, None, None))
    0.500 [0.412, 0.618]
    0.500
    (None, None)
    """

    mean: float
    low: float | None
    high: float | None

    @property
    def bounds(self) -> str:
        """The interval alone, as it is written; empty where one seed gave none."""
        return "" if self.low is None or self.high is None else f"[{self.low:.3f}, {self.high:.3f}]"

    def __str__(self) -> str:
        return f"{self.mean:.3f} {self.bounds}".rstrip()


def bootstrap(per_seed: Matrix, statistic: Callable[[Matrix], Matrix]) -> Interval:
    """Resample seeds with replacement and return the percentile interval of a statistic of their means.

    Parameters
    ----------
    per_seed
        Seeds by quantities.
    statistic
        Takes means (any number of lines by quantities) and returns one number a line.

    Examples
    --------
    >>> print(bootstrap(np.array([[0.9], [1.0], [0.8]]), lambda means: means[:, 0]))
    0.900 [0.800, 1.000]
    """
    mean = float(statistic(per_seed.mean(axis=0, keepdims=True))[0])
    if len(per_seed) < 2:
        return Interval(mean, None, None)
    rng = stream(0, "bootstrap")
    chosen = rng.integers(len(per_seed), size=(RESAMPLES, len(per_seed)))
    low, high = np.nanquantile(statistic(per_seed[chosen].mean(axis=1)), (0.025, 0.975))
    return Interval(mean, float(low), float(high))


def mean_advantage(
    values: Sequence[float], blinds: Sequence[float], ceilings: Sequence[float], narrow: float = NARROW
) -> Interval | None:
    """Return the advantage of the means over seeds with its interval, or None where there is nothing to gain.

    >>> print(mean_advantage([1.0, 0.8], [0.6, 0.6], [1.0, 1.0]))
    0.750 [0.500, 1.000]
    """
    per_seed = np.column_stack((values, blinds, ceilings)).astype(np.float64)
    value, blind, ceiling = (float(mean) for mean in per_seed.mean(axis=0))
    if advantage(value, blind, ceiling, narrow) is None:
        return None

    def of_means(means: Matrix) -> Matrix:
        reached = [advantage(value, blind, ceiling, narrow) for value, blind, ceiling in means.tolist()]
        return np.array([np.nan if one is None else one for one in reached])  # no room in this resample

    return bootstrap(per_seed, of_means)
