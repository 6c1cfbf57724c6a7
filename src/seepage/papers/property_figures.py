"""Figure 5 of paper 000: what ProVFL-B depends on. The paper prints no numbers for it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.property_errors import inferred
from seepage.papers.property_setting import (
    ADULT,
    BANK,
    C1,
    C2,
    CENSUS,
    COUNT,
    DIGITS,
    KNOWN,
    PROVFL_B,
    PropertyData,
    about,
    property_plan,
)
from seepage.papers.readings import Reading
from seepage.papers.rows import our_row
from seepage.papers.table import Cells, Table


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
PROPERTIES: Final[Mapping[str, tuple[str, ...]]] = {ADULT.data: ("A-sex",), BANK.data: ("B-month", "B-cont")}
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
        found |= {name: about(findings, data.properties[name]) for name in names}
    for axis in AXES:
        for value in axis.values:
            numbers = {}
            for name, mine in found.items():
                for attack, heading in ((PROVFL_B, name), (COUNT, f"{name}, {COUNT.label}")):
                    spread = axis.reading(attack, value).of(mine).written(DIGITS) if attack in axis.attacks else ""
                    numbers[heading] = spread
            yield our_row({"setting": axis.label, "value": f"{value:g}"}, numbers, *found.values())


FIGURE5: Final = Table(
    title="Figure 5, a to e, of paper 000: settings of ProVFL-B",
    note=(
        "Absolute error of the fraction in C1, mean±standard deviation over seeds. Adjusted counting has settings "
        "a, b and d too. Of B-cont there are 2,325 training rows with the property: from 2,325 on, all are known."
    ),
    page="property-attacks.md",
    datasets=(ADULT, BANK),
    rows=varied,
)

_PARTIES: Final = [(reading, parties) for reading in (PROVFL_B, COUNT) for parties in (2, 3, 5)]

FIGURE5_PARTIES: Final = Table(
    title="Figure 5 f of paper 000: more parties",
    note=(
        "Absolute error of the fraction, mean±standard deviation over seeds. "
        "C1: the active party attacks; C2: a passive one. The paper prints no numbers."
    ),
    page="property-attacks.md",
    datasets=(CENSUS,),
    rows=partial(
        inferred,
        columns=[replace(one, label=f"{one.label}, {parties} parties") for one, parties in _PARTIES],
        dealt={f"{one.label}, {parties} parties": {"parties": parties} for one, parties in _PARTIES},
        seeds=2,
        cases=(C1, C2),
    ),
)
