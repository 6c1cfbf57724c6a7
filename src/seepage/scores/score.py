"""A number that never comes without its blind twin."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

NARROW: Final = 0.01
"""Below this distance between blind and ceiling there is nothing to gain, and no advantage is given."""
NARROW_SQUARED: Final = NARROW**2
"""The same for squared errors: a blind guess that is off by a hundredth of a column's range is off by this, squared."""


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

    @property
    def advantage(self) -> float | None:
        """How far the attack got from blind to ceiling."""
        return advantage(self.value, self.blind, self.ceiling, narrow_of(self.metric))


def narrow_of(metric: str | None) -> float:
    """Return how close blind and ceiling may be before there is nothing to gain.

    >>> narrow_of("top1"), round(narrow_of("mse"), 6)
    (0.01, 0.0001)
    """
    return NARROW_SQUARED if metric == "mse" else NARROW


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
