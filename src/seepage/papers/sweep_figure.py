"""A figure of attacks on trees along one setting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import Reading, auc_of, seeds_of, why_not
from seepage.papers.tree_setting import FOUR_ATTACKS, MODELS, TreeData, tree_plan


@dataclass(frozen=True)
class SweepFigure:
    """V-measure of all attacks on both models while one setting changes.

    Parameters
    ----------
    axis
        The setting that changes: one of the partition or of both models.
    shown
        Data sets that are run unless one is named; `datasets` are all there are.
    partitions
        Ways to deal the columns; an empty one is that of the data set.
    models
        Settings that replace the usual ones of both models.
    """

    title: str
    note: str
    page: str
    axis: str
    readings: tuple[Reading, ...]
    datasets: tuple[TreeData, ...]
    shown: tuple[TreeData, ...]
    partitions: tuple[Mapping[str, Any], ...] = ({},)
    models: tuple[Mapping[str, Any], ...] = ({},)
    seeds: int = 5

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dataset.data for dataset in self.datasets)

    def lines(self, order: Order) -> list[Line]:
        """Run all values of the setting and return a line for each, model after model."""
        wanted = [data for data in self.datasets if order.wants(data.data, by_default=data in self.shown)]
        return [line for data in wanted for line in self._on(data, order)]

    def _on(self, data: TreeData, order: Order) -> list[Line]:
        lines: dict[str, list[Line]] = {model: [] for model in MODELS}
        for partition in self.partitions:
            dealt = {**data.partition, **partition}
            plan = tree_plan(data, order, FOUR_ATTACKS, seeds=self.seeds, partition=dealt, models=self.models)
            findings = order.run(plan, "/".join([data.folder, *(f"{self.axis}-{at}" for at in self._at(partition))]))
            for settings in self.models:
                (value,) = self._at({**partition, **settings})
                chosen = [found for found in findings if settings.items() <= found.model_settings.items()]
                for model in MODELS:
                    mine = [found for found in chosen if found.federation == model]
                    lines[model].append(self._line(data, model, value, mine))
        return [line for model in MODELS for line in lines[model]]

    def _line(self, data: TreeData, model: str, value: Any, mine: Sequence[Finding]) -> Line:
        cells = {
            "data": data.label,
            "model": model,
            self.axis: str(value),
            "seeds": str(seeds_of(mine)),
            **{reading.label: str(reading.of(mine)) for reading in self.readings},
            "test AUC": str(auc_of(mine)),
            "remark": why_not(mine),
        }
        return Line(tuple(cells), tuple(cells.values()))

    def _at(self, settings: Mapping[str, Any]) -> list[Any]:
        """Return the value of the setting that changes, where it is among these."""
        return [settings[self.axis]] if self.axis in settings else []
