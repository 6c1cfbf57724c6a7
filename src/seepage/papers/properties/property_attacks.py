"""Tables II, V, VI and VII of paper 000: what norms tell, and how far every attack is from the true fraction."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.plans import Variant
from seepage.papers.properties.property_correlations import correlations
from seepage.papers.properties.property_errors import Printed, as_printed, inferred
from seepage.papers.properties.property_setting import (
    ADULT,
    AIA,
    BANK,
    C1,
    C2,
    CENSUS,
    COUNT,
    DIGITS,
    HEALTH,
    KNOWN,
    PROVFL_B,
    PROVFL_M,
    PropertyData,
    auc,
    one_half,
    own_columns,
    property_plan,
)
from seepage.papers.readings import NOTHING, Reading
from seepage.papers.rows import printed_row, seeds_of, why_not
from seepage.papers.table import Cells, Table

KINDS: Final = ("kl", "js", "bc")
"""Kullback-Leibler divergence, Jensen-Shannon distance, Bhattacharyya coefficient."""
DIVERGENCES: Final = {
    (25, "l1"): (0.0017, 0.0202, 0.9684),
    (25, "l2"): (0.0000, 0.0012, 0.9990),
    (25, "linf"): (0.0004, 0.0095, 1.0000),
    (100, "l1"): (0.0327, 0.0876, 0.8692),
    (100, "l2"): (0.0086, 0.0458, 0.9665),
    (100, "linf"): (0.0145, 0.0592, 0.9856),
}
"""Gap in percent and norm → what the paper prints, in the order of `KINDS`."""


def diverging(asked: Sequence[PropertyData], order: Order, *, property_: str) -> Iterator[Cells]:
    """Divergences between norms of the victim's outputs, by norm and by the gap between two fractions."""
    norms = {norm: replace(PROVFL_B, settings={**KNOWN, "comparison": {"norm": norm}}) for _, norm in DIVERGENCES}
    for data in asked:
        plan = property_plan(data, list(norms.values()), seeds=5, properties=[property_])
        findings = order.run(plan, data.data)
        for (gap, norm), printed in DIVERGENCES.items():
            mine = norms[norm].among(findings)
            cells = {"data": data.label, "property": property_, "gap": f"{gap} %", "norm": norm}
            for kind, number in zip(KINDS, printed, strict=True):
                cells[f"{kind.upper()}, paper"] = f"{number:.{DIGITS}f}"
                ours = replace(norms[norm], metric=f"{kind}_{gap}").of(mine)
                cells[f"{kind.upper()}, ours"] = ours.written(DIGITS)
            yield {**cells, "seeds": str(seeds_of(mine)), "remark": why_not(mine)}


TABLE2: Final = Table(
    title="Table II of paper 000: norms of the victim's outputs at two fractions",
    note=(
        "Between rows of which all have the property and rows of which 75 % (gap 25 %) or none (gap 100 %) have it. "
        "KL, JS: larger is further apart; BC: smaller is. Mean±standard deviation over seeds. The paper does not "
        "name its data; ours are adult and sex."
    ),
    page="property-attacks.md",
    datasets=(ADULT,),
    rows=partial(diverging, property_="A-sex"),
)

_PRINTED: Final[dict[str, tuple[float, float, float, float, float, float]]] = {
    "A-sex": (0.1623, 0.0186, 0.0097, 0.0181, 0.0164, 0.0084),
    "A-race": (0.2693, 0.0236, 0.0143, 0.0388, 0.0209, 0.0130),
    "A-work": (0.2516, 0.0276, 0.0280, 0.1777, 0.0483, 0.0240),
    "C-sex": (0.2127, 0.0175, 0.0221, 0.0365, 0.0229, 0.0184),
    "C-race": (0.1913, 0.0310, 0.0246, 0.2156, 0.0444, 0.0255),
    "C-edu": (0.1024, 0.0141, 0.0106, 0.2149, 0.0125, 0.0214),
    "B-month": (0.2263, 0.0287, 0.0362, 0.2189, 0.1135, 0.0364),
    "B-mart": (0.1370, 0.0372, 0.0204, 0.0995, 0.0600, 0.0325),
    "B-cont": (0.2566, 0.1058, 0.0236, 0.4039, 0.1967, 0.0571),
    "H-sex": (0.2853, 0.0067, 0.0119, 0.0221, 0.0148, 0.0235),
    "H-age": (0.3564, 0.0290, 0.0204, 0.0961, 0.0161, 0.0130),
}
"""AIA, ProVFL-B and ProVFL-M in C1, then in C2."""
_AUC: Final = {"A": 0.9039, "B": 0.9134, "C": 0.9418, "H": 0.9994}
"""Of the joint model without any attack on it, by the first letter of its properties (Table III)."""


_HEADINGS: Final = (AIA.label, PROVFL_B.label, PROVFL_M.label, "AUC")
_IN_C1: Final = {name: (*numbers[:3], _AUC[name[0]]) for name, numbers in _PRINTED.items()}
_IN_C2: Final = {name: (*numbers[3:], _AUC[name[0]]) for name, numbers in _PRINTED.items()}

TABLE5: Final = Table(
    title="Table V of paper 000: inferred fractions of the other party's population",
    note=(
        "Absolute error of the fraction, mean±standard deviation over seeds. C1: the active party attacks; C2: a "
        "passive one. own columns: adjusted counting without any federation. ½: the answer one half. AUC: of the joint "
        "model on test rows, honest and under ProVFL-M. Last lines: means over properties, health left out."
    ),
    page="property-table5.md",
    datasets=(ADULT, BANK, CENSUS, HEALTH),
    shown=(ADULT, BANK, CENSUS),
    rows=partial(
        inferred,
        columns=(
            *(AIA, PROVFL_B, PROVFL_M, COUNT, own_columns(COUNT), one_half(COUNT)),
            *(auc(PROVFL_B, "AUC"), auc(PROVFL_M)),
        ),
        printed={**as_printed(C1, _HEADINGS, _IN_C1), **as_printed(C2, _HEADINGS, _IN_C2)},
        cases=(C1, C2),
        averaged=True,
    ),
)


def beside_correlations(
    asked: Sequence[PropertyData],
    order: Order,
    *,
    columns: Sequence[Reading],
    printed: Printed,
    correlated: Mapping[str, tuple[float, float]],
) -> Iterator[Cells]:
    """Attacks, with the correlations of each property at the end of every line.

    They describe the data as they were dealt under each seed, and take the truth; no attack has them.

    Parameters
    ----------
    correlated
        Abbreviation of a property → the paper's largest correlation of an
        adversary's column with it, and that of the label.
    """
    for data in asked:
        ours = correlations(order.adapted(property_plan(data, [COUNT], seeds=5)))
        for line in inferred([data], order, columns=columns, seeds=5, printed=printed):
            name = line["property"]
            column, label = (spread.written(DIGITS) for spread in ours[data.properties[name]])
            if line["whose"] == "paper":
                column, label = (f"{number:.{DIGITS}f}" for number in correlated[name])
            yield {**line, "largest correlation, columns": column, "correlation, label": label}


RAW: Final = replace(AIA, label="AIA*", settings={**KNOWN, "inputs": "columns"})

TABLE6: Final = Table(
    title="Table VI of paper 000: attribute inference on raw columns",
    note=(
        "Absolute error of the fraction, mean±standard deviation over seeds. own columns: adjusted counting on the "
        "same columns, with the label. Correlations: the largest absolute one of the adversary's columns with the "
        "property, and that of the label."
    ),
    page="property-attacks.md",
    datasets=(BANK,),
    rows=partial(
        beside_correlations,
        columns=(RAW, PROVFL_B, COUNT, own_columns(COUNT)),
        printed={
            ("B-month", C1): {"AIA*": 0.1569, PROVFL_B.label: 0.0287},
            ("B-mart", C1): {"AIA*": 0.0753, PROVFL_B.label: 0.0372},
            ("B-cont", C1): {"AIA*": 0.2894, PROVFL_B.label: 0.1058},
        },
        correlated={"B-month": (0.4259, -0.1050), "B-mart": (0.2875, -0.0554), "B-cont": (0.1637, 0.0131)},
    ),
)

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
        made = [found for found in findings if found.status == "ok"]
        return [
            self._nearer(found.other_metrics["guessed_fraction"], found.defense_settings["until"]) for found in made
        ]

    def _nearer(self, guess: float, own: float) -> bool:
        return all(abs(guess - own) < abs(guess - other) for other in self.fractions if other != own)


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


TABLE7: Final = Table(
    title="Table VII of paper 000: telling two fractions apart",
    note=(
        "How often the nearer of both fractions is the true one; ½ is chance. Worlds are made by withdrawing rows with "
        "the property before training. Auxiliary rows are fewer than elsewhere: at most 5 % of the training rows of "
        "each side, and half of those there are."
    ),
    page="property-attacks.md",
    datasets=(ADULT,),
    rows=told_apart,
)
