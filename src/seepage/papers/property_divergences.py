"""Table II of paper 000: how far apart norms are spread at two fractions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.property_setting import ADULT, C1, KNOWN, PROVFL_B, PropertyData, property_plan
from seepage.papers.property_table import DIGITS
from seepage.papers.readings import Reading, seeds_of, why_not

KINDS: Final = ("kl", "js", "bc")
"""Kullback-Leibler divergence, Jensen-Shannon distance, Bhattacharyya coefficient."""


@dataclass(frozen=True)
class DivergenceTable:
    """Divergences between norms of the victim's outputs, by norm and by the gap between two fractions.

    Parameters
    ----------
    asked
        The abbreviation of the property.
    printed
        Gap in percent and norm → what the paper prints, in the order of `KINDS`.
    """

    title: str
    note: str
    page: str
    dataset: PropertyData
    asked: str
    printed: Mapping[tuple[int, str], tuple[float, float, float]]
    seeds: int = 5

    @property
    def data(self) -> tuple[str, ...]:
        """The data set."""
        return (self.dataset.data,)

    def lines(self, order: Order) -> list[Line]:
        """Compare the norms of one training for each seed, and return a line for each gap and norm."""
        readings = {norm: self._reading(norm, None) for _, norm in self.printed}
        plan = property_plan(
            self.dataset, order, list(readings.values()), case=C1, seeds=self.seeds, properties=[self.asked]
        )
        findings = order.run(plan, self.dataset.data)
        lines = []
        for (gap, norm), printed in self.printed.items():
            cells = {"data": self.dataset.label, "property": self.asked, "gap": f"{gap} %", "norm": norm}
            for kind, number in zip(KINDS, printed, strict=True):
                cells[f"{kind.upper()}, paper"] = f"{number:.{DIGITS}f}"
                cells[f"{kind.upper()}, ours"] = self._reading(norm, f"{kind}_{gap}").of(findings).written(DIGITS)
            mine = readings[norm].among(findings)
            cells |= {"seeds": str(seeds_of(mine)), "remark": why_not(mine)}
            lines.append(Line(tuple(cells), tuple(cells.values())))
        return lines

    @staticmethod
    def _reading(norm: str, metric: str | None) -> Reading:
        return Reading(norm, PROVFL_B.attack, {**KNOWN, "comparison": {"norm": norm}}, metric)


TABLE: Final = DivergenceTable(
    title="Table II of paper 000: norms of the victim's outputs at two fractions",
    note=(
        "Between rows of which all have the property and rows of which 75 % (gap 25 %) or none (gap 100 %) have it. "
        "KL, JS: larger is further apart; BC: smaller is. Mean±standard deviation over seeds. The paper does not "
        "name its data; ours are adult and sex."
    ),
    page="property-attacks.md",
    dataset=ADULT,
    asked="A-sex",
    printed={
        (25, "l1"): (0.0017, 0.0202, 0.9684),
        (25, "l2"): (0.0000, 0.0012, 0.9990),
        (25, "linf"): (0.0004, 0.0095, 1.0000),
        (100, "l1"): (0.0327, 0.0876, 0.8692),
        (100, "l2"): (0.0086, 0.0458, 0.9665),
        (100, "linf"): (0.0145, 0.0592, 0.9856),
    },
)
