"""What a joint model is worth, beside one without a defense and beside what the label holder has alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from seepage.scores.intervals import SHARE, Interval, mean_over_seeds, ratio_over_seeds

NEGLIGIBLE: Final = 0.005
"""A utility that is less than this is none, whatever one seed says of it."""
DIFFERENCE: Final = (-1.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Worth:
    """Utilities by seed: of the model itself, without a defense, and of the label holder's own model.

    Everything is paired by seed, since columns and rows may be dealt anew with each.

    >>> held = Worth(joint={0: 0.93, 1: 0.95}, undefended={0: 0.96, 1: 0.98}, alone={0: 0.86, 1: 0.88})
    >>> print(held.cost), print(held.gain), print(held.kept)
    0.030 [0.030, 0.030]
    0.100 [0.100, 0.100]
    0.700 [0.700, 0.700]
    (None, None, None)
    """

    joint: Mapping[int, float] = field(default_factory=dict)
    undefended: Mapping[int, float] = field(default_factory=dict)
    alone: Mapping[int, float] = field(default_factory=dict)

    @cached_property
    def utility(self) -> Interval | None:
        """What the model is worth."""
        return mean_over_seeds(list(self.joint.values()), SHARE)

    @cached_property
    def own(self) -> Interval | None:
        """What the label holder's own model is worth."""
        return mean_over_seeds(list(self.alone.values()), SHARE)

    @cached_property
    def cost(self) -> Interval | None:
        """How much was lost in comparison with no defense."""
        return _apart(self.undefended, self.joint)

    @cached_property
    def gain(self) -> Interval | None:
        """How much more the undefended model is worth than the label holder's own: what the federation is for."""
        return _apart(self.undefended, self.alone)

    @property
    def gain_within_noise(self) -> bool:
        """Whether it is known what the label holder has alone, and the federation adds nothing that can be told."""
        return self.gain is not None and (self.gain.mean < NEGLIGIBLE or self.gain.within_noise(NEGLIGIBLE))

    @property
    def gain_unsure(self) -> bool:
        """Whether there is a gain in the mean that so few seeds cannot tell from noise: more of them might."""
        return self.gain is not None and self.gain.mean >= NEGLIGIBLE and self.gain_within_noise

    @cached_property
    def kept(self) -> Interval | None:
        """The share of the gain that is left; None where that is not known, or there is no gain to keep.

        It may be above 1, where a defense happens to help, and below 0, where the label holder were better off alone.
        """
        seeds = sorted(self.joint.keys() & self.undefended.keys() & self.alone.keys())
        if not seeds or self.gain is None or self.gain_within_noise:
            return None
        left = [self.joint[seed] - self.alone[seed] for seed in seeds]
        whole = [self.undefended[seed] - self.alone[seed] for seed in seeds]
        return ratio_over_seeds(left, whole) if sum(whole) > 0 else None


def costs_apart(one: Worth, other: Worth) -> Interval | None:
    """Return how much more one defense costs than another, paired by seed."""
    return _apart(other.joint, one.joint)


def _apart(more: Mapping[int, float], less: Mapping[int, float]) -> Interval | None:
    return mean_over_seeds([more[seed] - less[seed] for seed in sorted(more.keys() & less.keys())], DIFFERENCE)
