"""What an adversary could have said without any message, made before anybody looks at the truth."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from seepage.guesses import Guess


@dataclass(frozen=True, eq=False)
class Twins:
    """Blind guesses, each by how it is made; they need no truth, so that whoever guesses can make them itself.

    Parameters
    ----------
    scored
        About the rows that are scored.
    beside
        About rows outside training, where a guess about training rows speaks of these as well.
    """

    scored: Mapping[str, Guess] = field(default_factory=dict)
    beside: Mapping[str, Guess] = field(default_factory=dict)
