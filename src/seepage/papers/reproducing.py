"""Running a paper's table and laying both sets of numbers side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seepage.attacks import ATTACKS
from seepage.audit.attacking import settings_of
from seepage.audit.findings import Finding
from seepage.audit.plan import Plan, make_plan
from seepage.audit.settings import build
from seepage.audit.sweep import Progress, plan_sweep, run_sweep
from seepage.defenses import DEFENSES
from seepage.errors import BadOutput, UnknownName
from seepage.papers.paper_table import DatasetPlan, PaperRow, PaperTable

PUBLISHED_RULE = "first-negative"
ONLY_WHEN_ASKED = frozenset({"cifar10"})
"""Data sets that are not at hand for everyone; they are run when named with --only."""


@dataclass(frozen=True)
class Line:
    """One line of the table: the paper's numbers and ours, as text."""

    headings: tuple[str, ...]
    cells: tuple[str, ...]


def reproduce_table(
    table: PaperTable,
    *,
    only: str | None,
    seeds: int,
    out: Path | None,
    jobs: int,
    device: str,
    progress: Progress,
) -> list[Line]:
    """Run the table on its data sets and return the lines to print."""
    known = [dataset.data for dataset in table.datasets]
    if only is not None and only not in known:
        raise UnknownName("data set of this table", only, known=known)
    chosen = [d for d in table.datasets if (d.data == only if only else d.data not in ONLY_WHEN_ASKED)]
    lines = []
    for dataset in chosen:
        sweep = plan_sweep(_plan(table, dataset, seeds, device))
        findings = run_sweep(sweep, out=out / dataset.data if out else None, jobs=jobs, progress=progress)
        lines += [_line(row, dataset, findings) for row in table.rows]
    return lines


def _plan(table: PaperTable, dataset: DatasetPlan, seeds: int, device: str) -> Plan:
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
