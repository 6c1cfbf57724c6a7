"""A table of defenses against the direct label inference attack."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from seepage.attacks import ATTACKS
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import Plan, make_plan
from seepage.audit.plan.settings import build, settings_of
from seepage.defenses import DEFENSES
from seepage.errors import BadOutput
from seepage.papers.order import Order
from seepage.papers.paper_table import Line

PUBLISHED_RULE: Final = "first-negative"
ONLY_WHEN_ASKED: Final = frozenset({"cifar10"})
"""Data sets that are not at hand for everyone; they are run when named with --only."""


@dataclass(frozen=True)
class PaperRow:
    """One defense at one setting, with the numbers that the paper prints for it.

    Parameters
    ----------
    printed
        Model and attack accuracy as printed; empty where the paper has no such line.
    """

    label: str
    defense: str | None
    settings: Mapping[str, Any]
    printed: Mapping[str, float]


@dataclass(frozen=True)
class DatasetPlan:
    """How a table is run on one data set."""

    data: str
    federation: str
    model: Mapping[str, Any]
    partition: Mapping[str, Any]
    epochs: tuple[int, ...]


@dataclass(frozen=True)
class DirectAttackTable:
    """Accuracy of the joint model and of an attack that reads one epoch, line by line for every defense.

    Parameters
    ----------
    datasets
        Our data sets, and what each is trained with.
    rows
        The lines of the table.
    attack
        The attack, read once for every epoch of a data set's plan.
    """

    title: str
    note: str
    page: str
    attack: str
    datasets: tuple[DatasetPlan, ...]
    rows: tuple[PaperRow, ...]

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dataset.data for dataset in self.datasets)

    def lines(self, order: Order) -> list[Line]:
        """Run every data set under one seed, or as many as were asked for."""
        lines = []
        for dataset in self.datasets:
            if order.wants(dataset.data, by_default=dataset.data not in ONLY_WHEN_ASKED):
                findings = order.run(_plan(self, dataset, order.seeds or 1, order.device), dataset.data)
                lines += [_line(row, dataset, findings) for row in self.rows]
        return lines


def _plan(table: DirectAttackTable, dataset: DatasetPlan, seeds: int, device: str) -> Plan:
    readings: list[dict[str, Any]] = [{"epochs": [epoch]} for epoch in dataset.epochs]
    readings.append({"epochs": [0], "rule": PUBLISHED_RULE})
    return make_plan(
        {
            "data": {"name": dataset.data},
            "partition": dict(dataset.partition),
            "federations": [{"name": dataset.federation, "settings": dict(dataset.model)}],
            "attacks": [{"name": table.attack, "settings": reading} for reading in readings],
            "defenses": [{"name": row.defense, "settings": dict(row.settings)} for row in table.rows if row.defense],
            "scaling": "minmax",
            "seeds": seeds,
            "device": device,
        }
    )


def _line(row: PaperRow, dataset: DatasetPlan, findings: Sequence[Finding]) -> Line:
    settings = settings_of(build(DEFENSES, row.defense, row.settings)) if row.defense else {}
    mine = [f for f in findings if f.defense == row.defense and f.defense_settings == settings]
    for finding in mine:
        if finding.status != "ok":
            raise BadOutput(f"{row.label} on {dataset.data} {finding.status}: {finding.reason}")

    def attack(epoch: int, rule: str) -> str:
        wanted = settings_of(build(ATTACKS, mine[0].attack, {"epochs": [epoch], "rule": rule}))
        values = [f.value for f in mine if f.attack_settings == wanted and f.value is not None]
        return f"{sum(values) / len(values):.3f}"

    worth = [f.utility for f in mine if f.utility is not None]
    first = dataset.epochs[0]
    cells = {
        "data": dataset.data,
        "defense": row.label,
        "paper: model": f"{row.printed['model']:.3f}" if row.printed else "–",
        "ours: model": f"{sum(worth) / len(worth):.3f}",
        "paper: attack": f"{row.printed['attack']:.3f}" if row.printed else "–",
        f"ours: attack, epoch {first}": attack(first, "smallest"),
        f"rule, epoch {first}": attack(first, PUBLISHED_RULE),
        "ours: attack, later epochs": "  ".join(
            f"{epoch}: {attack(epoch, 'smallest')}" for epoch in dataset.epochs[1:]
        ),
    }
    return Line(tuple(cells), tuple(cells.values()))
