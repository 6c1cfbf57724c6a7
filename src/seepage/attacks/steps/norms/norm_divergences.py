"""How far apart norms lie in populations with more and with fewer rows that have a property: §IV of paper 000."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.shapes import Array, Floats, Mask

BINS: Final = 30
EMPTY: Final = 1e-6
"""Added to the share of every bin for KL alone, which an empty bin would make infinite."""
SHUFFLES: Final = 20
NARROW: Final = 1e-9
"""Norms whose range is below this share of their size count as all the same."""


@dataclass(frozen=True, eq=False)
class NormSpread:
    """The share of norms in bins of equal width, by side.

    Parameters
    ----------
    edges
        The ends of the bins, one more than there are bins.
    with_it, without
        The share of each bin among rows with the property, and among those without.
    """

    edges: Array
    with_it: Array
    without: Array

    def at(self, fraction: float) -> Floats:
        """Return the shares that a population with this fraction is expected to have."""
        return np.asarray(fraction * self.with_it + (1 - fraction) * self.without)

    def divergences(self, gap: float) -> tuple[float, float, float]:
        r"""Return KL, JS and BC between a population in which `gap` lack the property and one in which all have it.

        .. math::

            \mathrm{KL} = \sum_b p_b \log \frac{p_b}{q_b}, \qquad
            \mathrm{JS} = \sqrt{\tfrac12 \mathrm{KL}(p, m) + \tfrac12 \mathrm{KL}(q, m)}, \qquad
            \mathrm{BC} = \sum_b \sqrt{p_b q_b}

        with :math:`m = (p + q)/2`, in nats.

        >>> spread = NormSpread(np.array([0.0, 1.0, 2.0]), np.array([0.5, 0.5]), np.array([1.0, 0.0]))
        >>> [round(value, 3) for value in spread.divergences(1.0)]
        [0.693, 0.465, 0.707]

        Notes
        -----
        The paper speaks of JS divergence; its numbers (Table II) fit the distance,
        the square root: for populations nearly alike the divergence is a quarter
        of KL, and √(0.0327/4) = 0.090 stands beside 0.0876 while 0.0082 does not.
        Its BC does not fit its KL in any way: BC is at least exp(−KL/2), which is 0.984 for
        KL = 0.0327, where the table has 0.8692.
        """
        from scipy.spatial.distance import jensenshannon
        from scipy.stats import entropy

        p, q = self.at(1 - gap), self.at(1.0)
        return float(entropy(p + EMPTY, q + EMPTY)), float(jensenshannon(p, q)), float(np.sqrt(p * q).sum())


def norm_spread(norms: Array, has: Mask) -> NormSpread:
    """Sort the norms of known rows into bins over the range that both sides have together.

    >>> norm_spread(np.array([0.0, 3.0, 3.0, 3.0]), np.array([True, True, False, False])).with_it[[0, -1]]
    array([0.5, 0.5])
    """
    low, high = float(norms.min()), float(norms.max())
    level = high - low <= NARROW * max(abs(low), abs(high))  # as good as constant: float64 has no room for bins
    edges = np.histogram_bin_edges(norms, BINS, range=(low - 0.5, high + 0.5) if level else (low, high))
    with_it, without = (np.histogram(norms[side], edges)[0] / max(1, side.sum()) for side in (has, ~has))
    return NormSpread(edges, with_it, without)


def divergence_notes(norms: Array, has: Mask, rng: Generator) -> dict[str, float]:
    """Return the divergences of Table II at gaps of 25 % and 100 %, and the latter where the sides are shuffled.

    What two sides of finitely many rows differ by without any reason is
    ``kl_chance``, ``js_chance`` and ``bc_chance``, the mean over some shuffles.
    """
    spread = norm_spread(norms, has)
    shuffled = [norm_spread(norms, rng.permutation(has)).divergences(1.0) for _ in range(SHUFFLES)]
    found = {"25": spread.divergences(0.25), "100": spread.divergences(1.0), "chance": np.mean(shuffled, axis=0)}
    return {
        f"{name}_{gap}": float(value)
        for gap, values in found.items()
        for name, value in zip(("kl", "js", "bc"), values, strict=True)
    }
