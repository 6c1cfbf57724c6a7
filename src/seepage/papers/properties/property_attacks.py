"""Tables II, V, VI and VII of paper 000: what norms tell, and how far every attack is from the true fraction."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import Plan
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.preflight import setting_of
from seepage.data import Property
from seepage.papers.order import Order
from seepage.papers.plans import Variant
from seepage.papers.properties.property_errors import Printed, as_printed, inferred
from seepage.papers.properties.property_setting import (
    ADULT,
    AIA,
    BANK,
    C1,
    CASES,
    CENSUS,
    COUNT,
    DIGITS,
    HEALTH,
    KNOWN,
    PROVFL_B,
    PROVFL_M,
    TOLD,
    PropertyData,
    adversary_of,
    auc,
    one_half,
    own_columns,
    property_plan,
)
from seepage.papers.readings import NOTHING, Reading, Spread
from seepage.papers.rows import printed_row, seeds_of, why_not
from seepage.papers.table import Cells, Table
from seepage.shapes import Array, Matrix


def correlations(plan: Plan) -> dict[str, tuple[Spread, Spread]]:
    """Return for each property the largest absolute correlation of an adversary's column, and that of the label."""
    found: dict[str, tuple[list[float], list[float]]] = {asked: ([], []) for asked in plan.properties}
    bench = Bench()
    for seed in plan.seeds:
        prepared = bench.prepared(setting_of(plan, seed))
        held = np.asarray(prepared.data.parts[adversary_of(C1)].features, dtype=np.float64)
        for asked, (columns, labels) in found.items():
            has = Property.parse(asked).rows_of(prepared.table).astype(np.float64)
            columns.append(float(np.abs(correlated(held, has)).max()))
            labels.append(float(correlated(prepared.data.labels[:, None].astype(np.float64), has)[0]))
    return {asked: (Spread.of(columns), Spread.of(labels)) for asked, (columns, labels) in found.items()}


def correlated(columns: Matrix, target: Array) -> Array:
    """Return Pearson's correlation of each column with a target; 0 for a column that never changes.

    >>> columns = np.array([[0.0, 3.0, 1.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]])
    >>> correlated(columns, np.array([0.0, 1.0, 2.0])).round(3)
    array([ 1., -1.,  0.])
    """
    centered, aim = columns - columns.mean(axis=0), target - target.mean()
    lengths = np.linalg.norm(centered, axis=0) * np.linalg.norm(aim)
    return np.asarray(np.divide(aim @ centered, lengths, out=np.zeros(columns.shape[1]), where=lengths > 0))


def diverging(asked: Sequence[PropertyData], order: Order, *, property_: str) -> Iterator[Cells]:
    """Divergences between norms of the victim's outputs, by norm and by the gap between two fractions."""
    kinds, lines = (TOLD["table2"]["printed"][key] for key in ("columns", "rows"))
    norms = {norm: replace(PROVFL_B, settings={**KNOWN, "comparison": {"norm": norm}}) for _, norm, *_ in lines}
    for data in asked:
        plan = property_plan(data, list(norms.values()), seeds=5, properties=[property_])
        findings = order.run(plan, data.data)
        for gap, norm, *printed in lines:
            mine = norms[norm].among(findings)
            cells = {"data": data.label, "property": property_, "gap": f"{gap} %", "norm": norm}
            for kind, number in zip(kinds, printed, strict=True):
                cells[f"{kind}, paper"] = f"{number:.{DIGITS}f}"
                ours = replace(norms[norm], metric=f"{kind.lower()}_{gap}").of(mine)
                cells[f"{kind}, ours"] = ours.written(DIGITS)
            yield {**cells, "seeds": str(seeds_of(mine)), "remark": why_not(mine)}


TABLE2: Final = Table.told(TOLD["table2"], datasets=(ADULT,), rows=partial(diverging, property_="A-sex"))

TABLE5: Final = Table.told(
    TOLD["table5"],
    datasets=(ADULT, BANK, CENSUS, HEALTH),
    shown=(ADULT, BANK, CENSUS),
    rows=partial(
        inferred,
        columns=(
            *(AIA, PROVFL_B, PROVFL_M, COUNT, own_columns(COUNT), one_half(COUNT)),
            *(auc(PROVFL_B, "AUC"), auc(PROVFL_M)),
        ),
        printed=as_printed(TOLD["table5"]["printed"]),
        cases=CASES,
        averaged=True,
    ),
)


def beside_correlations(
    asked: Sequence[PropertyData], order: Order, *, columns: Sequence[Reading], printed: Printed
) -> Iterator[Cells]:
    """Attacks, with the correlations of each property at the end of every line.

    They describe the data as they were dealt under each seed, and take the truth; no attack has them.
    """
    for data in asked:
        lines = list(inferred([data], order, columns=columns, seeds=5, printed=printed))
        plan = order.adapted(property_plan(data, [COUNT], seeds=5))
        ours = correlations(plan) if any(line.get("seeds", "0") != "0" for line in lines) else {}
        for line in lines:
            spreads = ours.get(data.properties[line["property"]], (Spread.of([]), Spread.of([])))
            column, label = (spread.written(DIGITS) for spread in spreads)
            told = {"largest correlation, columns": column, "correlation, label": label}
            yield line if line["whose"] == "paper" else {**line, **told}


RAW: Final = replace(AIA, label="AIA*", settings={**KNOWN, "inputs": "columns"})

TABLE6: Final = Table.told(
    TOLD["table6"],
    datasets=(BANK,),
    rows=partial(
        beside_correlations,
        columns=(RAW, PROVFL_B, COUNT, own_columns(COUNT)),
        printed=as_printed(TOLD["table6"]["printed"]),
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


TABLE7: Final = Table.told(TOLD["table7"], datasets=(ADULT,), rows=told_apart)
