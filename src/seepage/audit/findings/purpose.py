"""What a federation is for: what the joint model is worth beyond what the label holder reaches alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from seepage.audit.findings.circumstances import Settings, grouped
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.worth import NEGLIGIBLE, Worth
from seepage.scores.intervals import Interval


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
    needless
        Whether the gain lies within noise, or there is none.
    """

    first: Finding
    joint: float
    alone: float
    gain: Interval
    constant: float | None = None
    needless: bool = False

    @property
    def useless(self) -> bool:
        """Whether the joint model is no better than a constant."""
        return self.constant is not None and self.joint < self.constant + NEGLIGIBLE

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
    worth = Worth(
        undefended={one.seed: one.utility_undefended for one in reversed(group) if one.utility_undefended is not None},
        alone={one.seed: one.utility_alone for one in reversed(group) if one.utility_alone is not None},
    )
    assert worth.gain is not None
    assert worth.own is not None
    metric = next((one.utility_metric for one in group if one.utility_metric is not None), None)
    first = next((one for one in group if one.partition and one.utility_metric is not None), group[0])
    joint = sum(worth.undefended.values()) / len(worth.undefended)
    return Purpose(first, joint, worth.own.mean, worth.gain, constant.get(metric or ""), worth.gain_within_noise)
