"""One number of an attack's findings, and how it is written over seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any, Final

import numpy as np

from seepage.attacks import ATTACKS
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.settings import build, settings_of
from seepage.scores.intervals import bootstrap

NOTHING: Final = "–"


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation over seeds, as a paper prints them.

    >>> print(Spread.of([0.0, 0.0, 0.0, 0.49, 0.49]), Spread.of([0.5]), Spread.of([]))
    0.196±0.268 0.500 –
    """

    mean: float | None
    deviation: float | None = None

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """Average. The deviation is a sample's, as in the paper, whose 0.196±0.268 is 0.49 in two of five runs."""
        if not values:
            return cls(None)
        return cls(fmean(values), stdev(values) if len(values) > 1 else None)

    def __str__(self) -> str:
        return self.written(3)

    def written(self, digits: int) -> str:
        """Write mean and deviation with so many decimals.

        >>> Spread(0.12345, 0.01).written(4)
        '0.1235±0.0100'
        """
        if self.mean is None:
            return NOTHING
        return f"{self.mean:.{digits}f}" + (f"±{self.deviation:.{digits}f}" if self.deviation is not None else "")


def interval(values: Sequence[float]) -> str:
    """Write a mean with its 95 % bootstrap interval over seeds.

    >>> interval([0.9, 1.0, 0.8]), interval([0.5]), interval([])
    ('0.900 [0.800, 1.000]', '0.500', '–')
    """
    if not values:
        return NOTHING
    return str(bootstrap(np.array(values, dtype=np.float64)[:, None], lambda means: means[:, 0]))


@dataclass(frozen=True)
class Reading:
    """An attack with its settings, and which of its numbers to read.

    Parameters
    ----------
    metric
        One of the other metrics of a finding, ``blind``, ``ceiling``, or the path of one of
        its bounds, such as ``bounds.equality_solving.mse_bound``, or of what the joint
        model is worth, such as ``utility.accuracy``; None is its value.
    """

    label: str
    attack: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    metric: str | None = None

    def of(self, findings: Sequence[Finding]) -> Spread:
        """Read the number over all seeds for which there is one."""
        return Spread.of([value for value in map(self._read, self.among(findings)) if value is not None])

    def by_seed(self, findings: Sequence[Finding]) -> dict[int, float]:
        """Return the number of every seed for which there is one, where each seed was run once."""
        read = {found.seed: self._read(found) for found in self.among(findings)}
        return {seed: value for seed, value in read.items() if value is not None}

    def among(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings of this attack at these settings."""
        settings = settings_of(build(ATTACKS, self.attack, self.settings))
        return [found for found in findings if found.attack == self.attack and found.attack_settings == settings]

    def _read(self, found: Finding) -> float | None:
        kind, _, name = (self.metric or "value").partition(".")
        if kind == "utility":
            return found_utility(found, name)
        if kind not in {"value", "blind", "ceiling", "bounds"}:
            return found.other_metrics.get(self.metric or "")
        bound, _, name = name.partition(".")
        value: float | None = found.bounds.get(bound, {}).get(name) if bound else getattr(found, kind)
        return value


def found_utility(found: Finding, metric: str) -> float | None:
    """Return one measure of what the joint model is worth on test rows; AUC is averaged over more than two classes."""
    led_by_it = found.utility if found.utility_metric == metric else None
    return found.utility_metrics.get(metric, led_by_it)


def spreads(readings: Sequence[Reading], findings: Sequence[Finding], digits: int = 3) -> dict[str, str]:
    """Write mean and deviation of each number below its label."""
    return {reading.label: reading.of(findings).written(digits) for reading in readings}


def intervals(readings: Sequence[Reading], findings: Sequence[Finding]) -> dict[str, str]:
    """Write mean and interval of each number below its label."""
    return {reading.label: interval(list(reading.by_seed(findings).values())) for reading in readings}
