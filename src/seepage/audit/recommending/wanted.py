"""What a recommendation has to meet."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from seepage.errors import BadSetting
from seepage.scores.digits import number


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Limits on what may leak, and what has to be left of the joint model.

    Parameters
    ----------
    limits
        The highest advantage allowed, by asset.
    least_utility
        The least that the joint model may be worth, in the measure of its task; None asks for nothing.
    least_kept
        The least share of what the federation adds over the label holder alone; None asks for nothing.

    Examples
    --------
    >>> wanted = Wanted(limits={"labels": 0.2}, least_utility=0.9)
    >>> list(wanted.missed({"labels": 0.25}, 0.95, None)), list(wanted.missed({"labels": 0.1}, 0.95, None))
    (['labels leak 0.250, above 0.2'], [])
    """

    limits: Mapping[str, float] = field(default_factory=dict)
    least_utility: float | None = None
    least_kept: float | None = None

    def __post_init__(self) -> None:
        if not self.limits:
            raise BadSetting("No limit is given. Give one with --max, such as --max labels=0.2.")
        for option, least in (("--min-utility", self.least_utility), ("--min-gain", self.least_kept)):
            if least is not None and not 0 <= least <= 1:
                raise BadSetting(f"{option} {least:g}: expected a number from 0 to 1, such as {option} 0.9.")

    def missed(self, leaks: Mapping[str, float], utility: float | None, kept: float | None) -> Iterator[str]:
        """Say what is not met, in a few words each; what is not known is not met."""
        for asset, limit in self.limits.items():
            leak = leaks.get(asset)
            if leak is None:
                yield f"what leaks of {asset} is not known"
            elif leak > limit:
                yield f"{asset} leak {number(leak)}, above {limit:g}"
        if self.least_utility is not None and (utility is None or utility < self.least_utility):
            yield f"the model is worth {number(utility)}, below {self.least_utility:g}"
        if self.least_kept is not None and (kept is None or kept < self.least_kept):
            share = "an unknown share" if kept is None else f"{kept:.0%}"
            yield f"{share} of the gain is kept, below {self.least_kept:.0%}"

    def shortfall(self, leaks: Mapping[str, float], utility: float | None, kept: float | None) -> float:
        """Return how far all that is missed lies from what is wanted, added up."""
        over = sum(max(0.0, leaks.get(asset, 1.0) - most) for asset, most in self.limits.items())
        short = max(0.0, (self.least_utility or 0.0) - (utility or 0.0))
        return over + short + max(0.0, (self.least_kept or 0.0) - (kept if kept is not None else 0.0))
