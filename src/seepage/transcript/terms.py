"""What parties agree on besides who takes part, as far as attacks and blind guesses read it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Declared terms: whoever writes a transcript says them, so that nobody has to know which federation it was.

    >>> Terms.of({"batch": 32, "hidden": [16]}).batch
    32

    Parameters
    ----------
    class_weights
        Whether rows of rarer classes weigh more in the loss.
    precision
        In which numbers networks computed, such as ``bf16``; None where nobody said.
    device
        Where they computed.
    bottom
        The name of the kind of bottom model that parties train; None where it has none.
    release
        What trees release: ``votes``, or the class ``ratios`` of leaves.
    batch
        How many rows a batch has; None where nobody said, or all rows are one.
    """

    class_weights: bool = False
    precision: str | None = None
    device: str = "cpu"
    bottom: str | None = None
    release: str | None = None
    batch: int | None = None

    def __post_init__(self) -> None:
        words = (self.precision, self.device, self.bottom, self.release)
        if not all(word is None or isinstance(word, str) for word in words) or self.device is None:
            raise ValueError("precision, device, bottom and release must be words")
        if type(self.class_weights) is not bool:
            raise ValueError(f"class_weights must be true or false, got {self.class_weights!r}")
        if self.batch is not None and (type(self.batch) is not int or self.batch < 1):
            raise ValueError(f"batch must be a number of rows from 1 on, got {self.batch!r}")

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Terms":
        """Pick them out of all settings of one of our federations, by their flat keys."""
        return cls(**{one.name: settings[one.name] for one in fields(cls) if one.name in settings})
