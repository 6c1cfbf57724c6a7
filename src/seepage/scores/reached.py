"""The advantage over seeds: that of one attack, that of the strongest of several, and how far two lie apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from seepage.scores.intervals import FEW_SEEDS, SHARE, Interval, clipped, evenly, jackknife, over_seeds, percentiles
from seepage.scores.metrics import NARROW
from seepage.scores.score import advantage
from seepage.shapes import Matrix


@dataclass(frozen=True)
class Reached:
    """What one attack reached in answer to one question, seed by seed: value, blind and ceiling."""

    by_seed: Mapping[int, tuple[float, float, float]]
    narrow: float = NARROW

    @property
    def advantage(self) -> float | None:
        """That of the means over seeds; None where there is nothing to gain."""
        value, blind, ceiling = np.array(list(self.by_seed.values()), dtype=np.float64).mean(axis=0).tolist()
        return advantage(value, blind, ceiling, self.narrow)

    def unclipped(self, seeds: Sequence[int], weights: Matrix) -> Matrix:
        """Return the advantage of weighed means, which may be below 0; NaN where these seeds leave no room."""
        nothing = (np.nan, np.nan, np.nan)
        held = np.array([self.by_seed.get(seed, nothing) for seed in seeds], dtype=np.float64)
        there = ~np.isnan(held[:, 0])
        value, blind, ceiling = (weights[:, there] @ held[there]).T
        weight = weights[:, there].sum(axis=1)
        room = ceiling - blind
        wide = np.abs(room) >= np.maximum(self.narrow * weight, 1e-12) * (1 - 1e-9)
        return np.where(wide, (value - blind) / np.where(wide, room, 1.0), np.nan)


def mean_advantage(
    values: Sequence[float], blinds: Sequence[float], ceilings: Sequence[float], narrow: float = NARROW
) -> Interval | None:
    """Return the advantage of the means over seeds with its interval, or None where there is nothing to gain.

    >>> print(mean_advantage([0.90, 0.88, 0.92], [0.6, 0.6, 0.6], [1.0, 1.0, 1.0]))
    0.750 [0.626, 0.874]
    """
    return strongest([Reached(dict(enumerate(zip(values, blinds, ceilings, strict=True))), narrow)])


def strongest(rivals: Sequence[Reached]) -> Interval | None:
    """Return the advantage of whoever gets furthest, with an interval that knows of the choice.

    Seeds are weighed for all alike, and the strongest is chosen anew under each weighing: the maximum is inside. The
    largest of several means is too large on average, by about as much as it grows under other weighings; so that is
    taken off: below `FEW_SEEDS` the interval lies around the mean of the pseudo-values, from there on percentiles are
    reflected. It reaches at least as far as that of the strongest alone. None where nobody has an advantage.

    >>> one = Reached({0: (0.82, 0.5, 1.0), 1: (0.78, 0.5, 1.0), 2: (0.80, 0.5, 1.0)})
    >>> two = Reached({0: (0.70, 0.5, 1.0), 1: (0.85, 0.5, 1.0), 2: (0.82, 0.5, 1.0)})
    >>> print(strongest([one])), print(strongest([one, two]))
    0.600 [0.501, 0.699]
    0.600 [0.361, 0.719]
    (None, None)
    """
    able = _able(rivals)
    if not able:
        return None
    best = max(able, key=lambda one: one.advantage or 0.0)
    seeds = sorted(best.by_seed)
    own = over_seeds(len(seeds), lambda weights: best.unclipped(seeds, weights), SHARE)
    own = replace(own, mean=best.advantage or 0.0)
    if own.low is None or own.high is None or len(able) == 1:
        return own
    low, high = _chosen_among(able)
    return Interval(own.mean, min(own.low, clipped(low, SHARE)), max(own.high, clipped(high, SHARE)))


def _chosen_among(rivals: Sequence[Reached]) -> tuple[float, float]:
    """Return the interval of the largest of several, in which the choice is made anew under each weighing."""
    seeds = sorted(_seeds(rivals))

    def furthest(weights: Matrix) -> Matrix:
        return _furthest(rivals, seeds, weights)

    if len(seeds) < FEW_SEEDS:
        center, spread = jackknife(len(seeds), furthest)
        return (center - spread, center + spread) if np.isfinite(spread) else SHARE
    found, (low, high) = evenly(len(seeds), furthest), percentiles(len(seeds), furthest)
    return 2 * found - high, 2 * found - low


def leak_apart(one: Sequence[Reached], other: Sequence[Reached]) -> Interval | None:
    """Return how much further the strongest of some gets than the strongest of others, over the seeds of both.

    >>> bare = [Reached({0: (0.90, 0.5, 1.0), 1: (0.88, 0.5, 1.0), 2: (0.92, 0.5, 1.0)})]
    >>> noisy = [Reached({0: (0.70, 0.5, 1.0), 1: (0.66, 0.5, 1.0), 2: (0.74, 0.5, 1.0)})]
    >>> print(leak_apart(bare, noisy))
    0.400 [0.301, 0.499]
    """
    mine, theirs = _able(one), _able(other)
    seeds = sorted(_seeds(mine) & _seeds(theirs))
    if not seeds:
        return None

    def apart(weights: Matrix) -> Matrix:
        pair = (_furthest(rivals, seeds, weights) for rivals in (mine, theirs))
        return np.subtract(*(np.clip(reached, *SHARE) for reached in pair))

    return over_seeds(len(seeds), apart, (-1.0, 1.0))


def _able(rivals: Sequence[Reached]) -> list[Reached]:
    return [one for one in rivals if one.by_seed and one.advantage is not None]


def _seeds(rivals: Sequence[Reached]) -> set[int]:
    return {seed for one in rivals for seed in one.by_seed}


def _furthest(rivals: Sequence[Reached], seeds: Sequence[int], weights: Matrix) -> Matrix:
    reached: Matrix = np.fmax.reduce([one.unclipped(seeds, weights) for one in rivals])
    return reached
