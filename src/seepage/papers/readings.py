"""One number of an attack's findings, and how it spreads over seeds."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

from seepage.attacks import ATTACKS
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.settings import build, settings_of

NOTHING = "–"


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
        if self.metric is None:
            return found.value
        if self.metric == "blind":
            return found.blind
        if self.metric == "ceiling":
            return found.ceiling
        if self.metric.startswith("utility."):
            return found.utility_metrics.get(self.metric.removeprefix("utility."))
        if not self.metric.startswith("bounds."):
            return found.other_metrics.get(self.metric)
        kind, name = self.metric.removeprefix("bounds.").split(".")
        value: float | None = found.bounds.get(kind, {}).get(name)
        return value


def each_once(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """Return the attacks that are read, each once however many of its numbers are, as a plan asks for them."""
    chosen: dict[str, dict[str, Any]] = {}
    for reading in readings:
        built = settings_of(build(ATTACKS, reading.attack, reading.settings))
        chosen.setdefault(f"{reading.attack} {built}", {"name": reading.attack, "settings": dict(reading.settings)})
    return list(chosen.values())


def seeds_of(findings: Sequence[Finding]) -> int:
    """Count the seeds that gave a number."""
    return len({found.seed for found in findings if found.status == "ok"})


def auc_of(findings: Sequence[Finding]) -> Spread:
    """Return the AUC of the joint model on test rows, averaged over classes where there are more than two."""
    worth = {found.seed: _auc(found) for found in findings}
    return Spread.of([value for value in worth.values() if value is not None])


def _auc(finding: Finding) -> float | None:
    led_by_it = finding.utility if finding.utility_metric == "auc" else None
    return finding.utility_metrics.get("auc", led_by_it)


def why_not(findings: Sequence[Finding]) -> str:
    """Say what kept attacks from being run, each reason once."""
    if not findings:
        return "does not act in this model"
    reasons = [re.split(r"[.;]\s", found.reason)[0] for found in findings if found.status != "ok" and found.reason]
    return "; ".join(dict.fromkeys(reasons))
