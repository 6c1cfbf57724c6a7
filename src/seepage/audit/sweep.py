"""From a plan to all cells, and from their results to findings."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from seepage.audit.cell import Cell, CellResult
from seepage.audit.findings import Finding, write_findings
from seepage.audit.plan import Choice, Plan, plan_text
from seepage.audit.preflight import applicable, cell_of, groups
from seepage.audit.preparation import load_table
from seepage.audit.workers import run_cells
from seepage.errors import BadPlan
from seepage.files import private_folder, write_private

CELLS_FOLDER: Final = "cells"
PLAN_FILE: Final = "plan.toml"

Progress = Callable[[int, int, Cell | None], None]


def _silent(done: int, total: int, cell: Cell | None) -> None:
    del done, total, cell


@dataclass(frozen=True)
class Sweep:
    """The cells of one plan, those whose findings are wanted and those that only say what a model was worth."""

    plan: Plan
    cells: tuple[Cell, ...]
    data_checksum: str

    @property
    def twins(self) -> tuple[Cell, ...]:
        """Undefended trainings that no wanted cell does anyway."""
        there = {_training(cell) for cell in self.cells if cell.defense is None}
        wanted = {_training(cell.undefended_twin): cell.undefended_twin for cell in self.cells if cell.defense}
        return tuple(twin for training, twin in wanted.items() if training not in there)


def plan_sweep(plan: Plan) -> Sweep:
    """Check everything that can be checked without training, and list the cells.

    Attacks that do not apply to a federation are listed once, not for every defense.
    """
    table = load_table(plan.data)
    cells: list[Cell] = []
    for federation in plan.federations:
        possible = applicable(plan, federation)
        defenses: list[Choice | None] = [*([None] if plan.undefended or not plan.defenses else []), *plan.defenses]
        for number, defense in enumerate(defenses):
            for group in groups(plan):
                attacks = group if number == 0 else tuple(attack for attack in group if attack in possible)
                if attacks:
                    cells += [cell_of(plan, federation, defense, attacks, seed) for seed in plan.seeds]
    return Sweep(plan, tuple(cells), table.checksum)


def run_sweep(
    sweep: Sweep,
    *,
    out: Path | None = None,
    jobs: int = 0,
    store: Path | None = None,
    progress: Progress = _silent,
) -> list[Finding]:
    """Run all cells that are not done yet, storing each as soon as it is finished.

    Parameters
    ----------
    out
        Where results go; a sweep that was killed continues there. None keeps nothing.
    jobs
        How many worker processes; 0 works in this process.
    store
        Where to store the recorded runs.
    """
    if jobs == 0 and sweep.plan.timeout is not None:
        raise BadPlan("A timeout can only be kept by worker processes: use one job or more (--jobs 1).")
    cells = (*sweep.cells, *sweep.twins)
    keys = [cell.key(sweep.data_checksum) for cell in cells]
    results: dict[str, CellResult] = {}
    folder = None
    if out is not None:
        folder = private_folder(private_folder(out) / CELLS_FOLDER)
        write_private(out / PLAN_FILE, plan_text(sweep.plan))
        results = {key: result for key in keys if (result := _finished(folder / f"{key}.json")) is not None}
    waiting = {key: cell for key, cell in zip(keys, cells, strict=True) if key not in results}
    progress(len(results), len(cells), None)
    for key, result in run_cells(
        waiting, jobs=jobs, timeout=sweep.plan.timeout, threads=sweep.plan.threads, store=store
    ):
        results[key] = result
        if folder is not None and all(finding.status != "failed" for finding in result.findings):
            write_private(folder / f"{key}.json", result.model_dump_json())
        progress(len(results), len(cells), waiting[key])
    findings = list(_collect(sweep, results))
    if out is not None:
        write_findings(out, findings)
    return findings


def _finished(path: Path) -> CellResult | None:
    """Read a stored cell; one that cannot be read is simply done again."""
    if not path.is_file():
        return None
    try:
        return CellResult.model_validate_json(path.read_bytes())
    except ValidationError:
        return None


def _collect(sweep: Sweep, results: Mapping[str, CellResult]) -> Iterator[Finding]:
    """Yield findings in the order of the plan, each with the worth of its undefended twin."""
    worth = {
        _training(cell): results[cell.key(sweep.data_checksum)].utility
        for cell in (*sweep.cells, *sweep.twins)
        if cell.defense is None
    }
    for cell in sweep.cells:
        undefended = worth.get(_training(cell.undefended_twin))
        for finding in results[cell.key(sweep.data_checksum)].findings:
            yield finding.model_copy(update={"utility_undefended": undefended})


def _training(cell: Cell) -> str:
    return cell.model_copy(update={"attacks": ()}).model_dump_json()
