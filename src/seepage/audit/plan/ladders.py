"""How strongly each defense can be switched on: its settings from the weakest to the strongest."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final


@dataclass(frozen=True)
class Ladder:
    """The setting by which a defense gets stronger, and what it is set to, rung by rung.

    Parameters
    ----------
    setting
        Its key.
    rungs
        From the weakest to the strongest.
    tried
        Those that a thorough audit tries: the default among them, and what papers try.
    beside
        Other settings, the same on every rung.
    monotone
        Whether each rung leaks no more than the one below it, and is worth no more: half of the rungs can then be
        left out with every look. Where not, every rung is tried.

    Examples
    --------
    >>> Ladder("share", (0.5, 0.1), tried=(0.1,)).settings
    ({'share': 0.5}, {'share': 0.1})
    """

    setting: str
    rungs: tuple[Any, ...]
    tried: tuple[Any, ...]
    beside: Mapping[str, Any] = field(default_factory=dict)
    monotone: bool = True

    def __post_init__(self) -> None:
        if not self.rungs or len(set(self.rungs)) < len(self.rungs):
            raise ValueError(f"the rungs of {self.setting} must be different settings, got {self.rungs}")
        if self.monotone and not (
            all(one < other for one, other in pairwise(self.rungs))
            or all(one > other for one, other in pairwise(self.rungs))
        ):
            raise ValueError(f"the rungs of {self.setting} must rise or fall throughout, got {self.rungs}")
        if not set(self.tried) <= set(self.rungs):
            raise ValueError(f"what is tried of {self.setting} must be rungs, got {self.tried}")

    @property
    def settings(self) -> tuple[Mapping[str, Any], ...]:
        """The rungs as settings of the defense."""
        return tuple({self.setting: rung, **self.beside} for rung in self.rungs)

    @property
    def some(self) -> tuple[Mapping[str, Any], ...]:
        """Those that a thorough audit tries."""
        return tuple({self.setting: rung, **self.beside} for rung in self.tried)


LADDERS: Final[Mapping[str, tuple[Ladder, ...]]] = {
    "laplace-noise": (Ladder("scale", (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0), (0.001, 0.01, 0.1)),),
    "top-k": (Ladder("share", (0.5, 0.25, 0.1, 0.05, 0.02, 0.01), (0.05, 0.1, 0.25)),),
    "privacy-preserving-dl": (Ladder("theta_u", (1.0, 0.5, 0.25, 0.1, 0.05), (0.1, 0.5, 1.0)),),
    "discrete-gradients": (Ladder("intervals", (24, 12, 6, 4, 2), (6, 12, 24)),),
    "sign-gradients": (Ladder("scale", (1.0, "mean"), (1.0, "mean"), monotone=False),),
    "marvell": (Ladder("ratio", (0.25, 1.0, 4.0, 16.0, 64.0), (1.0, 4.0, 16.0)),),
    "gradient-dp": (Ladder("epsilon", (16.0, 8.0, 6.0, 4.0, 2.0, 1.0, 0.5, 0.25), (1.0, 4.0, 8.0, 16.0)),),
    "label-dp": (Ladder("epsilon", (8.0, 4.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.5, 0.25, 0.1), (0.1, 0.5, 1.0, 2.0)),),
    "grafting": (Ladder("epsilon", (8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.1), (0.1, 0.5, 1.0, 2.0)),),
    "purity-limit": (Ladder("limit", (0.6, 0.5, 0.4, 0.25, 0.1, 0.05), (0.1, 0.25, 0.5)),),
    "first-trees-alone": (Ladder("trees", (1, 2, 3, 4), (1, 2, 3)),),
    "rounding": (Ladder("digits", (4, 3, 2, 1), (1, 2, 3)),),
    "dropout": (Ladder("rate", (0.1, 0.25, 0.5, 0.75, 0.9), (0.25, 0.5, 0.75)),),
    "feature-screening": (Ladder("limit", (0.95, 0.9, 0.8, 0.7, 0.5, 0.3), (0.7, 0.8, 0.9)),),
    "output-verification": (Ladder("limit", (0.0001, 0.001, 0.01, 0.1), (0.001, 0.01, 0.1)),),
    "randomized-response": (Ladder("epsilon", (8.0, 4.0, 2.0, 1.0, 0.5), (0.5, 1.0, 2.0, 4.0)),),
    "distance-correlation": (
        Ladder("alpha", (0.1, 0.3, 1.0, 3.0, 10.0, 30.0), (0.3, 1.0, 10.0)),
        Ladder("alpha", (0.1, 1.0, 10.0), (), {"against": "labels"}),
    ),
    "information-bottleneck": (
        Ladder("weight", (0.001, 0.003, 0.01, 0.03, 0.1, 0.3), (0.001, 0.01, 0.1)),
        Ladder("weight", (0.001, 0.01, 0.1), (), {"against": "labels"}),
    ),
    "embedding-noise": (Ladder("noise", (0.1, 0.25, 0.5, 1.0, 2.0, 4.0), (0.1, 0.25, 1.0)),),
    "confusional-autoencoder": (Ladder("weight", (0.1, 0.5, 1.0, 2.0), (0.1, 0.5, 1.0)),),
    "shuffling": (Ladder("share", (0.05, 0.1, 0.2, 0.5, 1.0), (0.1, 0.2, 0.5)),),
    "withdrawal": (Ladder("share", (0.05, 0.1, 0.2, 0.5, 0.8), (0.1, 0.2, 0.5)),),
}
"""Defenses of ours with a setting that makes them stronger; the ladder against another asset is one of its own.

What promises differential privacy begins where its promise means nothing any more.
"""

VARIANTS: Final[Mapping[str, tuple[Mapping[str, Any], ...]]] = {
    "split-network": ({"cut": 4}, {"cut": 2}, {"top": (32, 32, 32)}, {"batch": 256}, {"epochs": 5}),
    "summed-network": ({"batch": 256}, {"epochs": 5}),
}
"""The same federation built otherwise: choices that cost nothing to make, and change what crosses."""
