"""Table VII of paper 000: which of two fractions is the true one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.property_setting import ADULT, C1, PropertyData, property_plan
from seepage.papers.readings import NOTHING, Reading, seeds_of, why_not
from seepage.papers.variants import Variant

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


@dataclass(frozen=True)
class WorldsTable:
    """How often attacks tell two fractions apart; every seed makes both worlds."""

    title: str
    note: str
    page: str
    dataset: PropertyData
    worlds: tuple[Worlds, ...]
    seeds: int = 5

    @property
    def data(self) -> tuple[str, ...]:
        """The data set."""
        return (self.dataset.data,)

    def lines(self, order: Order) -> list[Line]:
        """Train in both worlds under every seed; each property has a line of the paper's and one of ours."""
        return [line for worlds in self.worlds for line in self._pair(worlds, order)]

    def _pair(self, worlds: Worlds, order: Order) -> list[Line]:
        plan = property_plan(
            self.dataset,
            order,
            worlds.readings,
            case=C1,
            seeds=self.seeds,
            properties=[worlds.asked],
            defenses=worlds.variants,
        )
        findings = order.run(plan, f"{self.dataset.data}/{worlds.asked}")
        theirs = {reading.label: _written(worlds.printed.get(reading.label)) for reading in worlds.readings}
        ours = {reading.label: _share(worlds.right(reading.among(findings))) for reading in worlds.readings}
        first, second = worlds.fractions
        start = {"data": self.dataset.label, "property": worlds.asked, "fractions": f"{first:.0%} or {second:.0%}"}
        pair = (
            {**start, "whose": "paper", "worlds": "", **theirs, "remark": ""},
            {**start, "whose": "ours", "worlds": str(2 * seeds_of(findings)), **ours, "remark": why_not(findings)},
        )
        return [Line(tuple(cells), tuple(cells.values())) for cells in pair]


def _share(right: Sequence[bool]) -> str:
    return f"{sum(right) / len(right):.2f}" if right else NOTHING


def _written(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"


TABLE: Final = WorldsTable(
    title="Table VII of paper 000: telling two fractions apart",
    note=(
        "How often the nearer of both fractions is the true one; ½ is chance. Worlds are made by withdrawing rows with "
        "the property before training. Auxiliary rows are fewer than elsewhere: at most 5 % of the training rows of "
        "each side, and half of those there are."
    ),
    page="property-attacks.md",
    dataset=ADULT,
    worlds=(
        Worlds("A-sex", (0.3, 0.5), {SHADOWS: 0.50, COMPARED.label: 0.97}),
        Worlds("A-work", (0.5, 0.6), {SHADOWS: 0.55, COMPARED.label: 0.88}),
        Worlds("A-race", (0.05, 0.1), {SHADOWS: 0.50, COMPARED.label: 0.85}),
    ),
)
