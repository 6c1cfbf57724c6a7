"""Defenses of a table, each at one setting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from seepage.audit.findings.finding import Finding
from seepage.audit.plan.settings import build, settings_of
from seepage.data import Table
from seepage.defenses import DEFENSES
from seepage.defenses.trees.purity_limit import PurityLimit
from seepage.models.purity import largest_leakage


@dataclass(frozen=True)
class Variant:
    """One defense at one setting, or none."""

    label: str
    defense: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def of(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings under this defense."""
        settings = settings_of(build(DEFENSES, self.defense, self.settings)) if self.defense else {}
        return [found for found in findings if found.defense == self.defense and found.defense_settings == settings]

    def idle_on(self, table: Table) -> str | None:
        """Say so where a limit is too high to change anything; the shares of a stratified split are the table's."""
        defense = build(DEFENSES, self.defense, self.settings) if self.defense else None
        if not isinstance(defense, PurityLimit):
            return None
        largest = largest_leakage(np.bincount(table.labels))
        return f"no effect: no node exceeds {largest:.2f}" if defense.limit >= largest else None


UNDEFENDED: Final = Variant("none")


def label_dp(epsilon: float) -> Variant:
    """LP-MST in two stages."""
    return Variant(f"label-dp, ε {epsilon:g}", "label-dp", {"epsilon": epsilon})


def grafting(epsilon: float) -> Variant:
    """Grafting-LDP on top of it."""
    return Variant(f"grafting, ε {epsilon:g}", "grafting", {"epsilon": epsilon})


def purity_limit(limit: float) -> Variant:
    """ID-LMID."""
    return Variant(f"purity-limit, ξ {limit:g}", "purity-limit", {"limit": limit})


FIRST_TREE_ALONE: Final = Variant("first-trees-alone", "first-trees-alone", {"trees": 1})
"""Reduced-Leakage."""
