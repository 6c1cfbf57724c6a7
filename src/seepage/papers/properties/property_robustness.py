"""Table XVI and Figure 5 of paper 000: property inference under defenses, and under other settings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Final, TypeAlias

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.plans import UNDEFENDED, Variant, at
from seepage.papers.properties.property_errors import inferred
from seepage.papers.properties.property_setting import (
    ADULT,
    BANK,
    C1,
    C2,
    CASES,
    CENSUS,
    COUNT,
    DIGITS,
    HEALTH,
    KNOWN,
    PROVFL_B,
    TOLD,
    Case,
    PropertyData,
    auc,
    of_property,
    own_columns,
    property_plan,
)
from seepage.papers.readings import Reading, spreads
from seepage.papers.rows import our_row
from seepage.papers.table import Cells, Table

IN_C1: Final = (
    replace(PROVFL_B, label="C1, replayed"),
    replace(PROVFL_B, label="C1, as sent", settings={**KNOWN, "gradients": "sent"}),
    COUNT,
    own_columns(COUNT),
    replace(PROVFL_B, label="after withdrawal", metric="error_after_withdrawal"),
    replace(PROVFL_B, label="shift", metric="withdrawal_shift"),
    replace(PROVFL_B, label="put back", metric="error_putting_back"),
    replace(COUNT, label="put back, adjusted-count", metric="error_putting_back"),
    auc(PROVFL_B, "AUC"),
)
IN_C2: Final = (replace(PROVFL_B, label="C2"),)
Defended: TypeAlias = tuple[Variant, tuple[float, ...]]
"""A defense, and what the paper prints under it: the error of each property, and the AUC."""


def defended(asked: Sequence[PropertyData], order: Order, *, defenses: Sequence[Defended]) -> Iterator[Cells]:
    """ProVFL-B and adjusted counting under every defense, a line for each defense and property.

    What was sent is what is recorded. Withdrawal is about one property, so that
    it has a training for each; all other defenses are trained once for all properties.
    """
    withdrawn = [variant for variant, _ in defenses if variant.defense == "withdrawal"]
    kept = [variant for variant, _ in defenses if variant not in withdrawn]
    for data in asked:
        found: dict[Case, list[Finding]] = {C1: [], C2: []}
        trainings = [("all", kept, list(data.properties)), *((name, withdrawn, [name]) for name in data.properties)]
        for case, (folder, variants, names) in product(found, trainings):
            if variants:
                readings = IN_C1 if case == C1 else IN_C2
                plan = property_plan(data, readings, case=case, seeds=2, properties=names, defenses=variants)
                found[case] += order.run(plan, f"{data.data}/{case}/{folder}")
        for variant, (*errors, worth) in defenses:
            for (name, property_), error in zip(data.properties.items(), errors, strict=True):
                first, second = (of_property(variant.of(found[case]), property_) for case in (C1, C2))
                numbers = {
                    "paper, C1": f"{error:.{DIGITS}f}",
                    **spreads(IN_C1, first, DIGITS),
                    **spreads(IN_C2, second, DIGITS),
                    "paper, AUC": f"{worth:.{DIGITS}f}",
                }
                start = {"data": data.label, "defense": variant.label, "property": name}
                yield our_row(start, numbers, first, second)


_PRINTED: Final = TOLD["table16"]["printed"]
DEFENSES: Final[tuple[Defended, ...]] = (
    (UNDEFENDED, tuple(_PRINTED["undefended"])),
    *((at(*defense), tuple(numbers)) for *defense, numbers in _PRINTED["defended"]),
)

TABLE16: Final = Table.told(TOLD["table16"], datasets=(ADULT,), rows=partial(defended, defenses=DEFENSES))


@dataclass(frozen=True)
class Axis:
    """One setting of attacks, by its path, and the values that it takes.

    Parameters
    ----------
    counted
        Whether adjusted counting has the setting too.

    Examples
    --------
    >>> Axis("queries", "comparison.queries", (1, 10), counted=False).reading(PROVFL_B, 10).settings
    {'auxiliary': {'rows': 2000}, 'comparison': {'queries': 10}}
    """

    label: str
    setting: str
    values: tuple[float, ...]
    counted: bool

    def reading(self, attack: Reading, value: float) -> Reading:
        """Return the attack at one value."""
        part, _, key = self.setting.partition(".")
        changed = {**KNOWN.get(part, {}), key: value} if key else value
        return replace(attack, settings={**KNOWN, part: changed})

    @property
    def attacks(self) -> tuple[Reading, ...]:
        """The attacks that have this setting."""
        return (PROVFL_B, COUNT) if self.counted else (PROVFL_B,)


AXES: Final = (
    Axis("a: share mislabelled", "auxiliary.mislabelled", (0.0, 0.1, 0.2, 0.3), counted=True),
    Axis("b: auxiliary rows of each side", "auxiliary.rows", (500, 1000, 2000, 4000), counted=True),
    Axis("c: queries", "comparison.queries", (1, 10, 50, 100, 200), counted=False),
    Axis("d: epoch", "epoch", (0, 4, 9, 14, 18), counted=True),
    Axis("e: populations", "comparison.populations", (100, 200, 300, 400, 500), counted=False),
)
PROPERTIES: Final[Mapping[str, tuple[str, ...]]] = {
    ADULT.data: ("A-sex",),
    BANK.data: ("B-month", "B-cont"),
    HEALTH.data: ("H-age",),
}
"""Data set → abbreviations of its properties that are shown."""


def varied(asked: Sequence[PropertyData], order: Order) -> Iterator[Cells]:
    """The error of ProVFL-B, and of adjusted counting, while one setting changes at a time.

    One training for each data set and seed serves all settings.
    """
    readings = [axis.reading(attack, value) for axis in AXES for attack in axis.attacks for value in axis.values]
    found: dict[str, list[Finding]] = {}
    for data in asked:
        names = PROPERTIES[data.data]
        findings = order.run(property_plan(data, readings, seeds=3, properties=names), data.data)
        found |= {name: of_property(findings, data.properties[name]) for name in names}
    for axis in AXES:
        for value in axis.values:
            numbers = {}
            for name, mine in found.items():
                for attack, heading in ((PROVFL_B, name), (COUNT, f"{name}, {COUNT.label}")):
                    spread = axis.reading(attack, value).of(mine).written(DIGITS) if attack in axis.attacks else ""
                    numbers[heading] = spread
            yield our_row({"setting": axis.label, "value": f"{value:g}"}, numbers, *found.values())


FIGURE5: Final = Table.told(TOLD["figure5"], datasets=(ADULT, BANK, HEALTH), shown=(ADULT, BANK), rows=varied)

_PARTIES: Final = [(reading, parties) for reading in (PROVFL_B, COUNT) for parties in (2, 3, 5)]

FIGURE5_PARTIES: Final = Table.told(
    TOLD["figure5-parties"],
    datasets=(CENSUS,),
    rows=partial(
        inferred,
        columns=[replace(one, label=f"{one.label}, {parties} parties") for one, parties in _PARTIES],
        dealt={f"{one.label}, {parties} parties": {"parties": parties} for one, parties in _PARTIES},
        seeds=2,
        cases=CASES,
    ),
)
