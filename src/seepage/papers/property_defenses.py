"""Table XVI of paper 000: defenses against property inference on adult."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.property_setting import (
    ADULT,
    C1,
    C2,
    COUNT,
    KNOWN,
    PROVFL_B,
    Case,
    PropertyData,
    about,
    own_columns,
    property_plan,
)
from seepage.papers.property_table import DIGITS, Column
from seepage.papers.readings import Reading, seeds_of, why_not
from seepage.papers.variants import UNDEFENDED, Variant

AS_SENT: Final = replace(PROVFL_B, settings={**KNOWN, "gradients": "sent"})
IN_C1: Final = (
    Column("C1, replayed", PROVFL_B),
    Column("C1, as sent", AS_SENT),
    Column("adjusted-count", COUNT),
    Column("own columns", own_columns(COUNT)),
    Column("after withdrawal", replace(PROVFL_B, metric="error_after_withdrawal")),
    Column("shift", replace(PROVFL_B, metric="withdrawal_shift")),
    Column("put back", replace(PROVFL_B, metric="error_putting_back")),
    Column("put back, adjusted-count", replace(COUNT, metric="error_putting_back")),
    Column("AUC", PROVFL_B, worth=True),
)
IN_C2: Final = (Column("C2", PROVFL_B),)


@dataclass(frozen=True)
class Defended:
    """One defense at one setting, with what the paper prints: the error of each property, and the AUC."""

    variant: Variant
    printed: tuple[float, float, float, float]

    @property
    def withdraws(self) -> bool:
        """Whether it hides one property at a time."""
        return self.variant.defense == "withdrawal"


@dataclass(frozen=True)
class DefenseTable:
    """ProVFL-B and adjusted counting under every defense, a line for each defense and property.

    What was sent is what is recorded. Withdrawal is about one property, so that
    it has a training for each; all other defenses are trained once for all properties.
    """

    title: str
    note: str
    page: str
    dataset: PropertyData
    rows: tuple[Defended, ...]
    seeds: int = 2

    @property
    def data(self) -> tuple[str, ...]:
        """The data set."""
        return (self.dataset.data,)

    def lines(self, order: Order) -> list[Line]:
        """Train under every defense in both cases, and return the lines in the order of the paper."""
        names = tuple(self.dataset.properties)
        kept = [row.variant for row in self.rows if not row.withdraws]
        withdrawn = [row.variant for row in self.rows if row.withdraws]
        found: dict[Case, list[Finding]] = {C1: [], C2: []}
        cases: tuple[tuple[Case, tuple[Column, ...]], ...] = ((C1, IN_C1), (C2, IN_C2))
        for case, columns in cases:
            if kept:
                found[case] += self._run(order, case, columns, kept, names, "all")
            for name in names if withdrawn else ():
                found[case] += self._run(order, case, columns, withdrawn, (name,), name)
        return [
            self._line(row, place, name, {case: about(row.variant.of(found[case]), asked) for case in found})
            for row in self.rows
            for place, (name, asked) in enumerate(self.dataset.properties.items())
        ]

    def _run(
        self,
        order: Order,
        case: Case,
        columns: Sequence[Column],
        variants: Sequence[Variant],
        names: Sequence[str],
        folder: str,
    ) -> list[Finding]:
        readings: list[Reading] = [column.reading for column in columns]
        plan = property_plan(
            self.dataset, order, readings, case=case, seeds=self.seeds, properties=names, defenses=variants
        )
        return order.run(plan, f"{self.dataset.data}/{case}/{folder}")

    def _line(self, row: Defended, place: int, name: str, mine: Mapping[Case, Sequence[Finding]]) -> Line:
        cells = {
            "data": self.dataset.label,
            "defense": row.variant.label,
            "property": name,
            "seeds": str(min(map(seeds_of, mine.values()))),
            "paper, C1": f"{row.printed[place]:.{DIGITS}f}",
            **{column.label: column.of(mine[C1]).written(DIGITS) for column in IN_C1},
            **{column.label: column.of(mine[C2]).written(DIGITS) for column in IN_C2},
            "paper, AUC": f"{row.printed[-1]:.{DIGITS}f}",
            "remark": why_not([found for some in mine.values() for found in some]),
        }
        return Line(tuple(cells), tuple(cells.values()))


def _at(label: str, defense: str, setting: str, value: float, **others: Any) -> Variant:
    return Variant(f"{label} {value:g}", defense, {setting: value, **others})


TABLE: Final = DefenseTable(
    title="Table XVI of paper 000: defenses against property inference",
    note=(
        "Absolute error of the fraction, mean±standard deviation over seeds. C1, replayed: an active adversary "
        "computes gradients itself; as sent: it reads those that crossed. own columns: adjusted counting without any "
        "federation. Withdrawal: errors are against the fraction before it; after withdrawal: against what is left; "
        "shift: between both; put back: who knows how many rows were withdrawn adds them again. AUC: in C1."
    ),
    page="property-defenses.md",
    dataset=ADULT,
    rows=(
        Defended(UNDEFENDED, (0.0186, 0.0236, 0.0276, 0.9039)),
        Defended(_at("D1 noise", "laplace-noise", "scale", 1e-3), (0.0219, 0.0221, 0.0370, 0.9028)),
        Defended(_at("D1 noise", "laplace-noise", "scale", 1e-2), (0.0239, 0.0293, 0.0407, 0.9027)),
        Defended(_at("D1 noise", "laplace-noise", "scale", 1e-1), (0.0185, 0.0315, 0.0499, 0.8353)),
        Defended(_at("D2 PPDL, θ_u", "privacy-preserving-dl", "theta_u", 0.5), (0.0255, 0.0349, 0.0400, 0.9009)),
        Defended(_at("D2 PPDL, θ_u", "privacy-preserving-dl", "theta_u", 0.25), (0.0219, 0.0422, 0.0410, 0.8318)),
        Defended(_at("D2 PPDL, θ_u", "privacy-preserving-dl", "theta_u", 0.1), (0.0170, 0.0542, 0.0428, 0.7983)),
        Defended(_at("D3 response, ε", "randomized-response", "epsilon", 1.0), (0.2154, 0.3528, 0.1605, 0.5229)),
        Defended(_at("D3 response, ε", "randomized-response", "epsilon", 4.0), (0.1934, 0.3355, 0.1485, 0.6303)),
        Defended(_at("D3 response, ε", "randomized-response", "epsilon", 10.0), (0.2058, 0.3335, 0.1248, 0.6634)),
        Defended(_at("D4 shuffling", "shuffling", "share", 0.1), (0.0211, 0.0290, 0.0387, 0.8989)),
        Defended(_at("D4 shuffling", "shuffling", "share", 0.2), (0.0135, 0.0383, 0.0453, 0.8948)),
        Defended(_at("D4 shuffling", "shuffling", "share", 0.5), (0.0083, 0.0459, 0.0351, 0.8785)),
        Defended(_at("D5 withdrawal", "withdrawal", "share", 0.1), (0.0230, 0.0281, 0.0535, 0.9014)),
        Defended(_at("D5 withdrawal", "withdrawal", "share", 0.2), (0.0617, 0.0655, 0.0828, 0.9011)),
        Defended(_at("D5 withdrawal", "withdrawal", "share", 0.5), (0.1479, 0.1345, 0.1617, 0.8979)),
    ),
)
