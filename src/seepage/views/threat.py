"""Who the adversary is and what it knows besides."""

from dataclasses import dataclass

from seepage.checks import check_least
from seepage.views.auxiliary import Auxiliary


@dataclass(frozen=True, kw_only=True)
class ThreatModel:
    """Which parties put together what they hold, and what they were given beforehand.

    Parameters
    ----------
    adversaries
        The parties that collude; one name is one curious party.
    labels_per_class
        How many labelled training rows of each class it knows.
    model
        Whether the parties' models are released to the active party. Without,
        they stay hidden (in ciphertexts, or in shares), as §VII of paper 002 has it.
    predictions
        Whether the others are sent the predictions that the active party makes.
    known_values
        For how many training rows it knows the values of the others' columns.
    means
        Whether it knows the mean of each of the others' columns.
    complete
        Whether it knows the others' columns for auxiliary rows and for rows outside training.
    property
        The property whose fraction it wants to know, as ``COLUMN=VALUE``.
    auxiliary
        The rows of which it knows whether they have the property.
    """

    adversaries: tuple[str, ...]
    labels_per_class: int = 0
    model: bool = True
    predictions: bool = True
    known_values: int = 0
    means: bool = False
    complete: bool = False
    property: str | None = None
    auxiliary: Auxiliary | None = None

    def __post_init__(self) -> None:
        if not self.adversaries:
            raise ValueError("a threat model needs at least one adversary")
        check_least(0, labels_per_class=self.labels_per_class, known_values=self.known_values)
