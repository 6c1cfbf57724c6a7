"""Cells in worker processes: one that crashes or takes too long costs only itself."""

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, as_completed
from contextlib import contextmanager, redirect_stdout
from multiprocessing import get_context
from pathlib import Path

from seepage.audit.findings.finding import Finding
from seepage.audit.plan.settings import settings_of
from seepage.audit.stages.cell import Cell, CellResult
from seepage.audit.stages.chaining import asked_by
from seepage.audit.stages.preparation import default_adversaries, parties_of
from seepage.audit.stages.versions import versions
from seepage.data import Property
from seepage.errors import AuditError


def run_cells(
    cells: Mapping[str, Cell],
    *,
    data_checksum: str,
    jobs: int,
    timeout: float | None,
    threads: int,
    places: Mapping[str, Path],
) -> Iterator[tuple[str, CellResult]]:
    """Yield each cell's key and result as it is finished, in any order."""
    if jobs == 0:
        for key, cell in cells.items():
            yield key, work(cell, data_checksum, threads, places.get(key))
        return
    from pebble import ProcessPool

    workers = min(jobs, max(1, len(cells)))
    with (
        _safe_path(),
        ProcessPool(max_workers=workers, context=get_context("spawn"), initializer=_begin_worker) as pool,
    ):
        waiting: dict[Future[CellResult], str] = {
            pool.schedule(quiet_work, args=(cell, data_checksum, threads, places.get(key)), timeout=timeout): key
            for key, cell in cells.items()
        }
        try:
            for future in as_completed(waiting):
                key = waiting[future]
                try:
                    yield key, future.result()
                except TimeoutError:
                    yield key, failed(cells[key], f"It took longer than {timeout:g} s (--timeout).")
                except OSError as error:  # pebble's ProcessExpired among them
                    yield key, failed(cells[key], f"Its worker process ended unexpectedly ({error}).")
        except BaseException:
            pool.stop()  # type: ignore[no-untyped-call]
            raise


def work(cell: Cell, data_checksum: str, threads: int, store: Path | None) -> CellResult:
    """Carry out one cell with so many threads; whatever goes wrong becomes a finding that says so."""
    from seepage.audit.isolation.limits import Isolation, Limits, isolating
    from seepage.audit.stages.remarks import gathered_remarks
    from seepage.audit.stages.running import run_cell
    from seepage.audit.stages.threads import limited_threads

    try:
        kept_apart = Isolation(cell.isolation.ours, Limits(**cell.isolation.model_dump(exclude={"ours"})))
        with (
            limited_threads(threads), gathered_remarks() as remarks, isolating(kept_apart), redirect_stdout(sys.stderr),
        ):  # fmt: skip
            result = run_cell(cell, data_checksum, store)
        return result.model_copy(update={"remarks": tuple(remarks)})
    except AuditError as error:
        return failed(cell, str(error))
    except Exception as error:  # the edge of a worker: one bad cell must not lose the others
        return failed(cell, f"{type(error).__name__}: {error}")


def quiet_work(cell: Cell, data_checksum: str, threads: int, store: Path | None) -> CellResult:
    """Carry out one cell in a worker process, without repeating what the parent has warned about."""
    import warnings

    from seepage.data import ColumnLeftOut

    warnings.simplefilter("ignore", ColumnLeftOut)
    return work(cell, data_checksum, threads, store)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Keep workers that are started inside from importing what lies in the working folder: ``struct.py``, say."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _begin_worker() -> None:
    """Let what is printed in a worker go to standard error, and the worker end with the audit that started it.

    Standard output is for findings (``--json -``), and nobody waits for a worker whose audit was killed.
    """
    os.dup2(2, 1)
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def failed(cell: Cell, reason: str) -> CellResult:
    """Return a finding for every attack of a cell that could not be finished."""
    from seepage.audit.stages.running import attacks_of, defense_of, federation_of

    defense = defense_of(cell)
    names = parties_of(cell.partition)
    findings = [
        Finding(
            data=cell.data.title,
            encoding=cell.encoding,
            scaling=cell.scaling,
            split=cell.split,
            federation=cell.federation.name,
            model_settings=settings_of(federation_of(cell)),
            parties=len(names),
            adversary=cell.adversary or default_adversaries(attack, names, _holders(cell, one)),
            attack=choice.name,
            attack_settings=settings_of(attack),
            role=attack.role,
            defense=cell.defense.name if cell.defense is not None else None,
            defense_settings=settings_of(defense) if defense is not None else {},
            seed=cell.seed,
            rows=attack.rows,
            asset=attack.steals,
            property=one,
            versions=versions(),
            status="failed",
            reason=reason,
        )
        for choice, attack in zip(cell.attacks, attacks_of(cell), strict=True)
        for one in asked_by(attack, cell.asked)
    ]
    return CellResult(findings=tuple(findings))


def _holders(cell: Cell, asked: str | None) -> tuple[str, ...]:
    """Return who holds the column of a property, as far as the plan names columns."""
    column = Property.parse(asked).column if asked is not None else None
    return tuple(party for party, columns in cell.partition.columns.items() if column in columns)
