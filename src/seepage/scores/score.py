"""A number that never comes without its blind twin."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seepage.scores.metrics import NARROW, Metric, metric_of


@dataclass(frozen=True, kw_only=True)
class Score:
    """What an attack reached, between what it could have had blindly and all there is.

    `ranking` answers the second question that is asked about labels: how well people are ranked.

    >>> Score(metric="top1", value=0.9, blind=0.6, blind_kind="majority class", ceiling=1.0,
    ...       ceiling_kind="full knowledge").advantage
    0.75
    """

    metric: str
    value: float
    blind: float
    blind_kind: str
    ceiling: float
    ceiling_kind: str
    other: Mapping[str, float] = field(default_factory=dict)
    bounds: Mapping[str, Any] = field(default_factory=dict)
    pictures: Mapping[str, Any] = field(default_factory=dict)
    ranking: "Score | None" = None

    @classmethod
    def of(
        cls, metric: Metric, value: float, blind: Mapping[str, float], other: Mapping[str, float] | None = None
    ) -> "Score":
        """Score by a metric, between the best of the blind guesses given and what full leakage earns.

        Taking the best by the truth can only lower the advantage. Answers that look at nothing are always among them.
        """
        guesses = {**metric.constants, **blind}
        best = metric.best(guesses)
        return cls(
            metric=metric.name,
            value=value,
            blind=guesses[best],
            blind_kind=best,
            ceiling=metric.ceiling,
            ceiling_kind=metric.full,
            other=other or {},
        )

    @property
    def advantage(self) -> float | None:
        """How far the attack got from blind to ceiling."""
        return advantage(self.value, self.blind, self.ceiling, metric_of(self.metric).narrow)


def advantage(value: float, blind: float, ceiling: float, narrow: float = NARROW) -> float | None:
    r"""Return :math:`(v - b) / (c - b)` clipped to [0, 1], or None where c − b is too narrow.

    It reads the same for errors, whose ceiling is 0.

    >>> advantage(0.8, 0.6, 1.0), advantage(0.5, 0.6, 1.0), advantage(0.1, 0.4, 0.0)
    (0.5, 0.0, 0.75)
    >>> advantage(0.995, 0.995, 1.0) is None
    True
    """
    if not all(map(math.isfinite, (value, blind, ceiling))) or abs(ceiling - blind) < narrow:
        return None
    share = min(1.0, max(0.0, (value - blind) / (ceiling - blind)))
    return round(share, 12)  # (0.8 - 0.6) / (1 - 0.6) is one half, whatever float64 says
