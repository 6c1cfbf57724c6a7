"""What a federation is for: what the joint model is worth beyond what the label holder reaches alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.audit.findings.circumstances import Settings, grouped
from seepage.audit.findings.finding import Finding
from seepage.scores.intervals import Interval, bootstrap

LEAST_GAIN: Final = 0.01
"""With one seed there is no interval: less than this counts as noise."""


@dataclass(frozen=True)
class Purpose:
    """What one federation is worth undefended, and what the label holder's own model is.

    Parameters
    ----------
    first
        Any finding about it.
    joint, alone
        Means over seeds.
    gain
        The one less the other, with its interval over seeds.
    constant
        What saying the same of every row is worth; None where that is not known.
    """

    first: Finding
    joint: float
    alone: float
    gain: Interval
    constant: float | None = None

    @property
    def needless(self) -> bool:
        """Whether the gain lies within noise, or there is none."""
        return self.gain.mean < LEAST_GAIN if self.gain.low is None else self.gain.low <= 0

    @property
    def useless(self) -> bool:
        """Whether the joint model is no better than a constant."""
        return self.constant is not None and self.joint < self.constant + LEAST_GAIN

    @property
    def holder(self) -> str | None:
        """Who holds the labels, where the finding says so."""
        active = self.first.partition.get("active")
        return active if isinstance(active, str) else None

    @property
    def labels_only(self) -> bool:
        """Whether the label holder has no columns, so that a constant stands for its model."""
        columns = self.first.partition.get("columns")
        return isinstance(columns, dict) and self.holder in columns and columns[self.holder] in ([], 0)


def purposes(findings: Iterable[Finding], constant: Mapping[str, float]) -> list[Purpose]:
    """Compare every federation with its label holder alone; older findings do not say what that reaches."""
    told = [one for one in findings if one.utility_undefended is not None and one.utility_alone is not None]
    return [_purpose(group, constant) for group in grouped(told, _federation).values()]


def _federation(one: Finding) -> tuple[object, ...]:
    return one.data, one.federation, Settings(one.model_settings), one.parties, one.encoding, one.scaling, one.split


def _purpose(group: list[Finding], constant: Mapping[str, float]) -> Purpose:
    by_seed = {one.seed: (one.utility_undefended, one.utility_alone) for one in reversed(group)}
    pairs = np.array([by_seed[seed] for seed in sorted(by_seed)], dtype=np.float64)
    joint, alone = (float(mean) for mean in pairs.mean(axis=0))
    gain = bootstrap(pairs, lambda means: means[:, 0] - means[:, 1])
    metric = next((one.utility_metric for one in group if one.utility_metric is not None), None)
    first = next((one for one in group if one.partition and one.utility_metric is not None), group[0])
    return Purpose(first, joint, alone, gain, constant.get(metric or ""))
