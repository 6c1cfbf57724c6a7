"""Table VII of paper 000: which of two fractions is the true one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.plans import Variant
from seepage.papers.property_setting import PropertyData, property_plan
from seepage.papers.readings import NOTHING, Reading
from seepage.papers.rows import printed_row, seeds_of, why_not
from seepage.papers.table import Cells

SHADOWS: Final = "SM-PIA"
COMPARED: Final = Reading("ProVFL-B", "distribution-comparison")
COUNTED: Final = Reading("adjusted-count", "adjusted-count")


@dataclass(frozen=True)
class Worlds:
    """Two fractions of one property, and how often the paper tells them apart.

    Parameters
    ----------
    asked
        The abbreviation of the property.
    printed
        Attack → how often the paper's is right.
    """

    asked: str
    fractions: tuple[float, float]
    printed: Mapping[str, float]

    @property
    def readings(self) -> tuple[Reading, ...]:
        """The attacks; shadow models are told both fractions."""
        return (Reading(SHADOWS, "shadow-models", {"fractions": self.fractions}), COMPARED, COUNTED)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Make each world by withdrawing rows with the property until its fraction is left."""
        return tuple(Variant(f"{fraction:.0%}", "withdrawal", {"until": fraction}) for fraction in self.fractions)

    def right(self, findings: Sequence[Finding]) -> list[bool]:
        """Say for each world that was made whether the guess is nearer to its fraction than to the other one."""
        return [
            _distance(found, found.defense_settings["until"]) < _distance(found, self._other(found))
            for found in findings
            if found.status == "ok"
        ]

    def _other(self, found: Finding) -> float:
        first, second = self.fractions
        return second if found.defense_settings["until"] == first else first


def _distance(found: Finding, fraction: float) -> float:
    return abs(found.other_metrics["guessed_fraction"] - fraction)


WORLDS: Final = (
    Worlds("A-sex", (0.3, 0.5), {SHADOWS: 0.50, COMPARED.label: 0.97}),
    Worlds("A-work", (0.5, 0.6), {SHADOWS: 0.55, COMPARED.label: 0.88}),
    Worlds("A-race", (0.05, 0.1), {SHADOWS: 0.50, COMPARED.label: 0.85}),
)


def told_apart(asked: Sequence[PropertyData], order: Order) -> Iterator[Cells]:
    """How often attacks tell two fractions apart; every seed makes both worlds."""
    for data in asked:
        for worlds in WORLDS:
            plan = property_plan(data, worlds.readings, seeds=5, properties=[worlds.asked], defenses=worlds.variants)
            findings = order.run(plan, f"{data.data}/{worlds.asked}")
            first, second = worlds.fractions
            start = {"data": data.label, "property": worlds.asked, "fractions": f"{first:.0%} or {second:.0%}"}
            yield printed_row(start, worlds.printed, digits=2)
            right = {reading.label: worlds.right(reading.among(findings)) for reading in worlds.readings}
            yield {
                **start,
                "whose": "ours",
                "worlds": str(2 * seeds_of(findings)),
                **{label: f"{sum(told) / len(told):.2f}" if told else NOTHING for label, told in right.items()},
                "remark": why_not(findings),
            }
