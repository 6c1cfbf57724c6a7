"""A table of how many ciphertexts cross under a defense, relative to none."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import NOTHING
from seepage.papers.tree_setting import FOUR_ATTACKS, TreeData, tree_plan
from seepage.papers.variants import UNDEFENDED, Variant


@dataclass(frozen=True)
class CiphertextRow:
    """One defense of one model, with the ratio that the paper prints for it."""

    model: str
    variant: Variant
    printed: float


@dataclass(frozen=True)
class CiphertextTable:
    """Ciphertexts under a defense over ciphertexts without, seed by seed, averaged over seeds and then data sets.

    Training is in the clear, where every number that would be encrypted counts
    as one ciphertext.

    Parameters
    ----------
    shown
        Data sets that are run unless one is named; `datasets` are all there are.
    """

    title: str
    note: str
    page: str
    rows: tuple[CiphertextRow, ...]
    datasets: tuple[TreeData, ...]
    shown: tuple[TreeData, ...]
    seeds: int = 5

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dataset.data for dataset in self.datasets)

    def lines(self, order: Order) -> list[Line]:
        """Run every data set, and lay its ratios beside the paper's mean."""
        variants = tuple({row.variant.label: row.variant for row in self.rows}.values())
        found = {}
        for data in self.datasets:
            if order.wants(data.data, by_default=data in self.shown):
                plan = tree_plan(data, order, FOUR_ATTACKS, seeds=self.seeds, defenses=variants)
                found[data.label] = order.run(plan, data.folder)
        return [_line(row, {label: ratio(row, findings) for label, findings in found.items()}) for row in self.rows]


def ratio(row: CiphertextRow, findings: Sequence[Finding]) -> float | None:
    """Return the mean ratio over seeds, None where the defense could not be run."""
    mine = [found for found in findings if found.federation == row.model and found.status == "ok"]
    without = {found.seed: sum(found.traffic.values()) for found in UNDEFENDED.of(mine)}
    with_it = {found.seed: sum(found.traffic.values()) for found in row.variant.of(mine)}
    return fmean(with_it[seed] / without[seed] for seed in with_it) if with_it else None


def _line(row: CiphertextRow, ratios: dict[str, float | None]) -> Line:
    held = [value for value in ratios.values() if value is not None]
    cells = {
        "model": row.model,
        "defense": row.variant.label,
        "paper: mean of nine": f"{row.printed:.3f}",
        "ours: mean": f"{fmean(held):.3f}" if held else NOTHING,
        **{label: NOTHING if value is None else f"{value:.3f}" for label, value in ratios.items()},
    }
    return Line(tuple(cells), tuple(cells.values()))
