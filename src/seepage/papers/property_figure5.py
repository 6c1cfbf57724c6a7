"""Figure 5, a to e, of paper 000: what ProVFL-B depends on. The paper prints no numbers for it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.property_setting import ADULT, BANK, C1, COUNT, KNOWN, PROVFL_B, PropertyData, about, property_plan
from seepage.papers.property_table import DIGITS
from seepage.papers.readings import Reading, seeds_of, why_not


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


@dataclass(frozen=True)
class PropertyFigure:
    """The error of ProVFL-B, and of adjusted counting, while one setting changes at a time.

    Parameters
    ----------
    asked
        Data set → abbreviations of its properties that are shown.
    """

    title: str
    note: str
    page: str
    asked: Mapping[str, tuple[str, ...]]
    datasets: tuple[PropertyData, ...]
    axes: tuple[Axis, ...]
    seeds: int = 3

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dataset.data for dataset in self.datasets)

    def lines(self, order: Order) -> list[Line]:
        """Train once for each data set and seed, and return a line for each value of each setting."""
        found: dict[str, list[Finding]] = {}
        for dataset in self.datasets:
            if order.wants(dataset.data):
                names = self.asked[dataset.data]
                plan = property_plan(dataset, order, self._readings(), case=C1, seeds=self.seeds, properties=names)
                findings = order.run(plan, dataset.data)
                found |= {name: about(findings, dataset.properties[name]) for name in names}
        return [self._line(axis, value, found) for axis in self.axes for value in axis.values]

    def _readings(self) -> list[Reading]:
        return [axis.reading(attack, value) for axis in self.axes for attack in axis.attacks for value in axis.values]

    def _line(self, axis: Axis, value: float, found: Mapping[str, list[Finding]]) -> Line:
        cells = {"setting": axis.label, "value": f"{value:g}", "seeds": str(min(map(seeds_of, found.values())))}
        for name, mine in found.items():
            for attack, heading in ((PROVFL_B, name), (COUNT, f"{name}, {COUNT.label}")):
                read = axis.reading(attack, value).of(mine).written(DIGITS) if attack in axis.attacks else ""
                cells[heading] = read
        cells["remark"] = why_not([one for mine in found.values() for one in mine])
        return Line(tuple(cells), tuple(cells.values()))


FIGURE: Final = PropertyFigure(
    title="Figure 5, a to e, of paper 000: settings of ProVFL-B",
    note=(
        "Absolute error of the fraction in C1, mean±standard deviation over seeds. Adjusted counting has settings "
        "a, b and d too. Of B-cont there are 2,325 training rows with the property: from 2,325 on, all are known."
    ),
    page="property-attacks.md",
    asked={ADULT.data: ("A-sex",), BANK.data: ("B-month", "B-cont")},
    datasets=(ADULT, BANK),
    axes=(
        Axis("a: share mislabelled", "auxiliary.mislabelled", (0.0, 0.1, 0.2, 0.3), counted=True),
        Axis("b: auxiliary rows of each side", "auxiliary.rows", (500, 1000, 2000, 4000), counted=True),
        Axis("c: queries", "comparison.queries", (1, 10, 50, 100, 200), counted=False),
        Axis("d: epoch", "epoch", (0, 4, 9, 14, 18), counted=True),
        Axis("e: populations", "comparison.populations", (100, 200, 300, 400, 500), counted=False),
    ),
)
