"""How well two worlds can be told apart at most: Theorem 1 of paper 000."""

import math
from dataclasses import dataclass
from typing import Final

VACUOUS: Final = 0.99
"""From here on the bound says nothing."""


@dataclass(frozen=True)
class DistinguishingBound:
    r"""The bound of Theorem 1, and what went into it.

    Parameters
    ----------
    posterior
        The largest :math:`c = \Pr[p = 1 | z]`, for people drawn as they come.
    prior
        The share :math:`t^*` of people with the property.
    gap
        How far the fractions of the two worlds are apart.
    rows
        How many rows of one world are seen.
    accuracy
        The bound; None where it does not apply, since c must not be below t*.
    """

    posterior: float
    prior: float
    gap: float
    rows: int
    accuracy: float | None

    @property
    def vacuous(self) -> bool:
        """Whether the bound allows practically everything."""
        return self.accuracy is not None and self.accuracy >= VACUOUS

    def facts(self) -> dict[str, float | bool]:
        """Return everything as plain values; no accuracy where the bound does not apply."""
        facts: dict[str, float | bool] = {
            "posterior": self.posterior,
            "prior": self.prior,
            "gap": self.gap,
            "rows": self.rows,
            "vacuous": self.vacuous,
        }
        return facts if self.accuracy is None else {**facts, "accuracy": self.accuracy}


def distinguishing_bound(
    score: float, prior: float, gap: float, rows: int, learned_from: float = 0.5
) -> DistinguishingBound:
    r"""Return the bound for a classifier that is never surer than `score`.

    Such a score speaks about people as they are among the rows that it was
    learned from, a share :math:`a` of which has the property (`learned_from`).
    It is first put on the footing of the population,

    .. math:: \frac{c}{1 - c} = \frac{s}{1 - s} \cdot \frac{1 - a}{a} \cdot \frac{t^*}{1 - t^*},

    and then

    .. math:: \mathrm{DAcc} \le \frac{1}{2} + \frac{1}{2}
              \sqrt{1 - \left(1 + \frac{q (c - t^*)}{t^* (1 - c)}\right)^{-N}} \qquad (3)

    grows with c (Corollary 1), so the largest c bounds them all.

    >>> bound = distinguishing_bound(0.6, prior=0.5, gap=0.01, rows=10)
    >>> round(bound.posterior, 3), round(bound.accuracy, 3), bound.vacuous
    (0.6, 0.61, False)
    >>> distinguishing_bound(0.9, prior=0.5, gap=0.01, rows=40_000).vacuous
    True
    >>> distinguishing_bound(0.4, prior=0.5, gap=0.01, rows=10).accuracy is None
    True
    """
    if not (0 <= score <= 1 and 0 < prior < 1 and 0 < gap <= 1 and 0 < learned_from < 1 and rows >= 1):
        raise ValueError(
            "a bound needs shares between 0 and 1 and rows, "
            f"got a score of {score}, fractions of {prior} and {learned_from}, a gap of {gap} and {rows} rows"
        )
    joint, other = score * prior / learned_from, (1 - score) * (1 - prior) / (1 - learned_from)
    posterior = joint / (joint + other)
    return DistinguishingBound(posterior, prior, gap, rows, _accuracy(posterior, prior, gap, rows))


def _accuracy(posterior: float, prior: float, gap: float, rows: int) -> float | None:
    if posterior < prior:
        return None
    if posterior >= 1:
        return 1.0
    grown = gap * (posterior - prior) / (prior * (1 - posterior))
    return (1 + math.sqrt(-math.expm1(-rows * math.log1p(grown)))) / 2  # Eq. 3
