"""A figure of defenses of trees: what attacks still learn, and what the model is worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seepage.audit.findings.finding import Finding
from seepage.audit.stages.preparation import load_table
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import Reading, auc_of, seeds_of, why_not
from seepage.papers.tree_setting import FOUR_ATTACKS, MODELS, TreeData, tree_plan
from seepage.papers.variants import Variant


@dataclass(frozen=True)
class DefenseFigure:
    """V-measure of attacks against the worth of the joint model, for every defense at every setting.

    Parameters
    ----------
    shown
        Data sets that are run unless one is named; `datasets` are all there are.
    partition
        How columns are dealt; an empty one is that of the data set.
    dealt
        A word on that for the folder of the results.
    """

    title: str
    note: str
    page: str
    readings: tuple[Reading, ...]
    variants: tuple[Variant, ...]
    datasets: tuple[TreeData, ...]
    shown: tuple[TreeData, ...]
    partition: Mapping[str, Any] = field(default_factory=dict)
    dealt: str = ""
    seeds: int = 5

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dataset.data for dataset in self.datasets)

    def lines(self, order: Order) -> list[Line]:
        """Train under every defense and return a line for each, model after model."""
        wanted = [data for data in self.datasets if order.wants(data.data, by_default=data in self.shown)]
        return [line for data in wanted for line in self._on(data, order)]

    def _on(self, data: TreeData, order: Order) -> list[Line]:
        partition = {**data.partition, **self.partition}
        plan = tree_plan(data, order, FOUR_ATTACKS, seeds=self.seeds, partition=partition, defenses=self.variants)
        findings = order.run(plan, "/".join(filter(None, (data.folder, self.dealt))))
        table = load_table(plan.data)
        lines = []
        for model in MODELS:
            for variant in self.variants:
                mine = variant.of([found for found in findings if found.federation == model])
                remark = variant.idle_on(table) or why_not(mine)
                lines.append(self._line(data, model, variant, mine, remark))
        return lines

    def _line(self, data: TreeData, model: str, variant: Variant, mine: Sequence[Finding], remark: str) -> Line:
        cells = {
            "data": data.label,
            "model": model,
            "defense": variant.label,
            "seeds": str(seeds_of(mine)),
            **{reading.label: str(reading.of(mine)) for reading in self.readings},
            "test AUC": str(auc_of(mine)),
            "remark": remark,
        }
        return Line(tuple(cells), tuple(cells.values()))
