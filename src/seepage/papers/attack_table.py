"""A table of attacks on trees: the paper's mean and standard deviation, and ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import NOTHING, Reading, Spread, seeds_of, why_not
from seepage.papers.tree_setting import CHUNKS, MODELS, TreeData, tree_plan

Printed: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Spread]]]
"""Data set → model → label of a reading → what the paper prints."""

LEAST_TOLERANCE: Final = 0.06


def holds(printed: Spread, ours: Spread) -> bool:
    """Say whether our mean is no lower than the paper's, less one printed deviation or 0.06 if that is more.

    >>> holds(Spread(0.555, 0.035), Spread(0.5, 0.1)), holds(Spread(0.555, 0.035), Spread(0.49, 0.1))
    (True, False)
    """
    assert printed.mean is not None
    return ours.mean is not None and ours.mean >= printed.mean - max(LEAST_TOLERANCE, printed.deviation or 0.0)


@dataclass(frozen=True)
class AttackTable:
    """V-measure of several attacks on both models of every data set.

    Parameters
    ----------
    judged
        The reading whose mean is compared with the paper's.
    readings
        All columns of the table; reading in chunks is left out where the authors did without.
    printed
        What the paper prints, as far as it does.
    """

    title: str
    note: str
    page: str
    judged: Reading
    readings: tuple[Reading, ...]
    datasets: tuple[TreeData, ...]
    printed: Printed

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dict.fromkeys(dataset.data for dataset in self.datasets))

    def lines(self, order: Order) -> list[Line]:
        """Run every data set with its own number of seeds; each model has a line of the paper's and one of ours."""
        lines = []
        for dataset in self.datasets:
            if order.wants(dataset.data):
                readings = [reading for reading in self.readings if reading != CHUNKS or dataset.chunks]
                findings = order.run(tree_plan(dataset, order, readings, seeds=dataset.seeds), dataset.folder)
                for model in MODELS:
                    mine = [found for found in findings if found.federation == model]
                    lines += self._pair(dataset, model, mine)
        return lines

    def _pair(self, dataset: TreeData, model: str, findings: Sequence[Finding]) -> list[Line]:
        printed = self.printed[dataset.data][model]
        ours = {reading.label: reading.of(findings) for reading in self.readings}
        verdict = "holds" if holds(printed[self.judged.label], ours[self.judged.label]) else "below"
        if dataset.partial:
            verdict = "not its data"
        start = {"data": dataset.label, "model": model}
        pair = (
            {
                **start,
                "whose": "paper",
                "seeds": "5",
                **{label: str(printed.get(label, NOTHING)) for label in ours},
                "verdict": "",
            },
            {
                **start,
                "whose": "ours",
                "seeds": str(seeds_of(findings)),
                **{label: str(spread) for label, spread in ours.items()},
                "verdict": why_not(findings) or verdict,
            },
        )
        return [Line(tuple(cells), tuple(cells.values())) for cells in pair]
