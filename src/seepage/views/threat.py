"""Who the adversary is and what it knows besides."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ThreatModel:
    """Which parties put together what they hold, and what they were given beforehand.

    Parameters
    ----------
    adversaries
        The parties that collude; one name is one curious party.
    labels_per_class
        How many labelled training rows of each class it knows.
    """

    adversaries: tuple[str, ...]
    labels_per_class: int = 0

    def __post_init__(self) -> None:
        if not self.adversaries:
            raise ValueError("a threat model needs at least one adversary")
        if self.labels_per_class < 0:
            raise ValueError(f"labels_per_class must be 0 or more, got {self.labels_per_class}")
