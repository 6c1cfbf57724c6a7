"""From a plan to all cells, and from their results to findings."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from seepage.audit.engines.workers import run_cells
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.folder import AuditFolder, open_folder
from seepage.audit.plan.plan import Choice, Plan
from seepage.audit.recordings.stored_places import stored_places
from seepage.audit.stages.cell import Cell, CellResult
from seepage.audit.stages.preflight import (
    applicable,
    cell_of,
    groups,
    is_honest,
    refuse_idle_properties,
    refuse_repeats,
    suited,
    with_share_holder,
)
from seepage.audit.stages.preparation import load_table
from seepage.audit.stages.remarks import tell
from seepage.errors import BadPlan

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
        there = {_training(cell) for cell in self.cells if cell.defense is None and is_honest(cell)}
        wanted = {_training(cell): cell for cell in (other.undefended_twin for other in self.cells)}
        return tuple(twin for training, twin in wanted.items() if training not in there)


def plan_sweep(plan: Plan) -> Sweep:
    """Check everything that can be checked without training, and list the cells.

    Attacks that do not apply to a federation are listed once, not for every
    defense. A defense is left out where it cannot act, unless it can act nowhere:
    its findings then say why.
    """
    table = load_table(plan.data)
    refuse_repeats(plan)
    refuse_idle_properties(plan)
    plan = with_share_holder(plan)
    cells: list[Cell] = []
    acting = {number: suited(plan, federation) for number, federation in enumerate(plan.federations)}
    idle = [defense for defense in plan.defenses if not any(defense in chosen for chosen in acting.values())]
    for place, federation in enumerate(plan.federations):
        possible = applicable(plan, federation)
        chosen = [defense for defense in plan.defenses if defense in acting[place] or defense in idle]
        defenses: list[Choice | None] = [*([None] if plan.undefended or not chosen else []), *chosen]
        for number, defense in enumerate(defenses):
            for group, asked in groups(plan):
                tried = [attack for attack in group if defense is None or attack.defended]
                attacks = tuple(attack for attack in tried if number == 0 or attack in possible)
                if attacks:
                    cells += [cell_of(plan, federation, defense, attacks, seed, asked) for seed in plan.seeds]
    tried_somewhere = [attack for cell in cells for attack in cell.attacks]
    for attack in plan.attacks:
        if attack not in tried_somewhere:
            raise BadPlan(
                f"{attack.name} is to be tried without a defense only (defended = false), but nothing is trained "
                "without one (undefended = false). Leave one of the two out."
            )
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
    if out is None:
        return _run(sweep, None, jobs, store, progress)
    with open_folder(out, sweep.plan) as folder:
        findings = _run(sweep, folder, jobs, store, progress)
        folder.finish(findings)
    return findings


def _run(sweep: Sweep, folder: AuditFolder | None, jobs: int, store: Path | None, progress: Progress) -> list[Finding]:
    cells = {cell.key(sweep.data_checksum): cell for cell in (*sweep.cells, *sweep.twins)}
    places = stored_places(store, cells)
    results: dict[str, CellResult] = {}
    if folder is not None:  # a run that is to be stored has to be made again
        kept = {key: folder.finished(key) for key in cells if key not in places}
        results = {key: result for key, result in kept.items() if result is not None}
    waiting = {key: cell for key, cell in cells.items() if key not in results}
    progress(len(results), len(cells), None)
    for key, result in run_cells(
        waiting,
        data_checksum=sweep.data_checksum,
        jobs=jobs,
        timeout=sweep.plan.timeout,
        threads=sweep.plan.threads,
        places=places,
    ):
        results[key] = result
        if folder is not None:
            folder.keep(key, result)
        progress(len(results), len(cells), waiting[key])
    tell([remark for result in results.values() for remark in result.remarks])
    return list(_collect(sweep, results))


def _collect(sweep: Sweep, results: Mapping[str, CellResult]) -> Iterator[Finding]:
    """Yield findings in the order of the plan, each with the worth of its undefended twin."""
    worth = {
        _training(cell): results[cell.key(sweep.data_checksum)].utility
        for cell in (*sweep.cells, *sweep.twins)
        if cell.defense is None and is_honest(cell)
    }
    for cell in sweep.cells:
        undefended = worth.get(_training(cell.undefended_twin))
        for finding in results[cell.key(sweep.data_checksum)].findings:
            yield finding.model_copy(update={"utility_undefended": undefended})


def _training(cell: Cell) -> str:
    return cell.model_copy(update={"attacks": (), "asked": ()}).model_dump_json(exclude={"isolation"})
