"""Means over seeds, and how sure one can be of them.

Everything here is a function of how much each seed weighs: resampling seeds, or leaving one out, is another weighing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.randomness import stream
from seepage.scores.digits import number
from seepage.shapes import Matrix

RESAMPLES = 2000
FEW_SEEDS: Final = 10
"""Below so many seeds intervals are those of Student's t, from there on percentiles of resampled seeds."""
STUDENT: Final = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306)
"""The 97.5 % points of Student's t for 1 to 8 degrees of freedom."""
ANYTHING: Final = (-np.inf, np.inf)
SHARE: Final = (0.0, 1.0)


@dataclass(frozen=True)
class Interval:
    """An estimate with a 95 % interval over seeds; no interval from a single seed.

    >>> print(Interval(0.5, 0.4124, 0.6176)), print(Interval(0.5, None, None)), print(Interval(0.1, -0.02, 0.22))
    0.500 [0.412, 0.618]
    0.500
    0.100 [−0.020, 0.220]
    (None, None, None)
    """

    mean: float
    low: float | None
    high: float | None

    @property
    def bounds(self) -> str:
        """The interval alone, as it is written; empty where one seed gave none."""
        return "" if self.low is None or self.high is None else f"[{number(self.low)}, {number(self.high)}]"

    def __str__(self) -> str:
        return f"{number(self.mean)} {self.bounds}".rstrip()

    def within_noise(self, least: float) -> bool:
        """Whether the estimate cannot be told from 0; of one seed, whether it is less than `least`.

        >>> Interval(0.1, -0.1, 0.3).within_noise(0.005), Interval(0.1, None, None).within_noise(0.005)
        (True, False)
        """
        if self.low is None or self.high is None:
            return abs(self.mean) < least
        return self.low <= 0 <= self.high


def over_seeds(seeds: int, statistic: Callable[[Matrix], Matrix], possible: tuple[float, float] = ANYTHING) -> Interval:
    """Estimate a statistic of weighed seeds, with an interval.

    Below `FEW_SEEDS` the interval is that of Student's t over the jackknife's pseudo-values
    :math:`n T - (n - 1) T_{-i}`, around :math:`T`: for a mean the pseudo-values are the values themselves. From there
    on it lies between percentiles over resampled seeds.

    Parameters
    ----------
    seeds
        How many there are.
    statistic
        Takes weights (any number of lines by seeds, each line sums to 1) and returns one number a line: not clipped,
        since a clipped number hides how far it moves, and NaN where these seeds give none.
    possible
        The least and the largest number that there can be; everything is clipped to it in the end. Where leaving one
        seed out leaves no number, anything is possible between them.

    Examples
    --------
    >>> values = np.array([0.9, 1.0, 0.8])
    >>> print(over_seeds(3, lambda weights: weights @ values, SHARE))
    0.900 [0.652, 1.000]
    """
    found = evenly(seeds, statistic)
    if seeds < 2:
        return Interval(clipped(found, possible), None, None)
    if seeds < FEW_SEEDS:
        _, spread = jackknife(seeds, statistic)
        low, high = (found - spread, found + spread) if np.isfinite(spread) else possible
    else:
        low, high = percentiles(seeds, statistic)
    return Interval(clipped(found, possible), clipped(low, possible), clipped(high, possible))


def evenly(seeds: int, statistic: Callable[[Matrix], Matrix]) -> float:
    """Return the statistic where every seed weighs the same."""
    return float(statistic(np.full((1, seeds), 1 / seeds))[0])


def jackknife(seeds: int, statistic: Callable[[Matrix], Matrix]) -> tuple[float, float]:
    """Return the mean of the pseudo-values, and how far Student's t reaches to each side of it."""
    left_out = statistic((1 - np.eye(seeds)) / (seeds - 1))
    pseudo = seeds * evenly(seeds, statistic) - (seeds - 1) * left_out
    return float(pseudo.mean()), float(STUDENT[seeds - 2] * pseudo.std(ddof=1) / np.sqrt(seeds))


def percentiles(seeds: int, statistic: Callable[[Matrix], Matrix]) -> tuple[float, float]:
    """Return between what 95 % of the resamples lie."""
    chosen = stream(0, "bootstrap").integers(seeds, size=(RESAMPLES, seeds))
    weights = np.stack([np.bincount(one, minlength=seeds) for one in chosen]) / seeds
    low, high = np.nanquantile(statistic(weights), (0.025, 0.975)).tolist()
    return low, high


def clipped(value: float, possible: tuple[float, float]) -> float:
    """Return the nearest number that is possible, without the noise of float64."""
    return round(min(possible[1], max(possible[0], value)), 12) + 0.0


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


def mean_over_seeds(values: Sequence[float], possible: tuple[float, float] = ANYTHING) -> Interval | None:
    """Return the mean with its interval; None where there is no value.

    >>> print(mean_over_seeds([0.97, 0.99, 0.98], SHARE)), print(mean_over_seeds([]))
    0.980 [0.955, 1.000]
    None
    (None, None)
    """
    held = np.array(values, dtype=np.float64)
    return over_seeds(len(held), lambda weights: weights @ held, possible) if len(held) else None


def ratio_over_seeds(parts: Sequence[float], wholes: Sequence[float]) -> Interval:
    """Return the ratio of two means, paired by seed, with its interval.

    >>> print(ratio_over_seeds([0.010, 0.012, 0.008], [0.020, 0.021, 0.019]))
    0.500 [0.314, 0.686]
    """
    above, below = np.array(parts, dtype=np.float64), np.array(wholes, dtype=np.float64)
    sign = np.sign(below.mean())

    def ratio(weights: Matrix) -> Matrix:
        bottom = weights @ below
        return np.where(sign * bottom > 0, weights @ above / np.where(bottom == 0, 1.0, bottom), np.nan)

    return over_seeds(len(above), ratio)
