"""Audits from Python."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from seepage.audit.engines.chosen import EngineChoice
from seepage.audit.findings.findings import Findings
from seepage.audit.findings.folder import admitted, check_folder
from seepage.audit.gathering import Gathered, run_slice
from seepage.audit.plan.caller_objects import CallerObjects
from seepage.audit.plan.plan import Plan
from seepage.audit.plan.request import Asked, Request, plan_of
from seepage.audit.plan.slices import Slice
from seepage.audit.plan.spelling import keywords_in_errors
from seepage.audit.progress import notebook_progress
from seepage.audit.stages.bench import Bench
from seepage.audit.sweep import Progress, Sweep, plan_sweep, run_sweep
from seepage.catalogs import lending
from seepage.errors import BadPlan, UnknownName


def audit(
    data: str | Path | Plan | None = None,
    *,
    label: str | None = None,
    id_column: str | None = None,
    impute: bool = False,
    keep_missing: bool = False,
    rows: int | None = None,
    text: str | None = None,
    parties: int | Mapping[str, Sequence[str]] | None = None,
    federations: str | Sequence[Asked] | None = None,
    attacks: str | Sequence[Asked | object] | None = None,
    defenses: str | Sequence[Asked | object] | None = None,
    seeds: int | Sequence[int] | None = None,
    out: str | Path | None = None,
    add: bool = False,
    jobs: int | None = None,
    engine: str | None = None,
    address: str | None = None,
    isolate: bool = False,
    **others: Any,
) -> Findings:
    """Audit a table and return the findings.

    Parameters
    ----------
    data
        A name from the catalog, a CSV or Parquet file (with `label`), a plan or
        a plan's file; None is the embedded default.
    label, id_column, impute, keep_missing
        Of a file: its label column, the column that names its rows, and whether
        to fill missing values, or to leave them to federations of trees, instead
        of refusing them.
    rows
        Audit a random sample of so many rows; by default all.
    text
        Of a file: its column of texts, which are cut into pieces between the parties.
    parties
        How many, or who holds which columns, the active party first.
    federations, attacks, defenses
        Names, as ``top-k`` or ``top-k:share=0.1``, or tables of ``name`` and ``settings``;
        by default all of them. Attacks and defenses may also be objects of your own,
        ``MyAttack(epochs=3)``: they are your code, and run here.
    seeds
        How many, or which; three by default.
    out
        A folder to keep findings in; an audit that was killed continues there.
    add
        Whether `out` may hold another audit, which this one then extends.
    jobs
        Worker processes; none works in this process, as notebooks want it. With workers attacks of
        your own run in processes of their own, as with `isolate`.
    engine, address
        ``here``, ``processes`` or ``ray``, and of a Ray cluster its address; without one it is started here.
        By default as `jobs` says.
    isolate
        Run every attack in a process of its own that is given the view and nothing else.
        Classes must then be ones that can be imported.
    others
        Any other field of `Request`, such as ``encoding="ordinal"``.

    Examples
    --------
    >>> import seepage
    >>> chosen = {"federations": ["logistic-regression"], "attacks": ["gradient-sign"], "defenses": []}
    >>> findings = seepage.audit("iris", **chosen, seeds=1)
    >>> [(finding.attack, finding.value) for finding in findings]
    [('gradient-sign', 1.0)]
    """
    known = [field.name for field in fields(Request)]
    for name in others:
        if name not in known:
            raise UnknownName("key", name, known=known)
    with keywords_in_errors():
        objects = CallerObjects(apart=isolate or EngineChoice(engine, jobs, address).elsewhere)
    request = Request(
        data=data, label=label, id_column=id_column, impute=impute, keep_missing=keep_missing, rows=rows, text=text,
        parties=parties, federations=federations, attacks=objects.choices("attacks", attacks),
        defenses=objects.choices("defenses", defenses), seeds=seeds, engine=engine,
        address=address, isolate=isolate, **others,
    )  # fmt: skip
    with keywords_in_errors(), notebook_progress() as progress, lending(objects.classes):
        return carry_out(request, out=Path(out) if out is not None else None, add=add, jobs=jobs, progress=progress)


def carry_out(
    request: Request,
    *,
    out: Path | None,
    add: bool = False,
    jobs: int | None,
    store: Path | None = None,
    progress: Progress,
) -> Findings:
    """Make the plan that was asked for, check it against the folder, and run it: all that any caller does.

    Nothing is written before everything that can be checked without training is.
    """
    chosen = EngineChoice(request.engine, jobs, request.address)
    if store is not None and chosen.address is not None:
        raise BadPlan(
            "--keep-transcript stores runs on this machine, where workers at --address may have no way to write: "
            "leave out one of the two."
        )
    sweep = _planned(request, out, add)
    engine = chosen.made(sweep.plan, sweep.bench)
    found = tuple(run_sweep(sweep, out=out, store=store, progress=progress, engine=engine))
    return Findings(found, sweep.plan, sweep.notes)


def carry_out_slice(
    request: Request, part: Slice, *, out: Path, add: bool = False, jobs: int | None, progress: Progress
) -> Gathered:
    """Do one share of what was asked for, beside whoever does the others."""
    chosen = EngineChoice(request.engine, jobs, request.address)
    sweep = _planned(request, out, add)
    return run_slice(sweep, part, out=out, engine=chosen.made(sweep.plan, sweep.bench), progress=progress)


def _planned(request: Request, out: Path | None, add: bool) -> Sweep:
    if out is not None:
        check_folder(out)
    bench = Bench()
    sweep = plan_sweep(plan_of(request, bench), bench)
    if out is None:
        return sweep
    plan = admitted(out, sweep.plan, add=add)
    return sweep if plan == sweep.plan else plan_sweep(plan, bench)
