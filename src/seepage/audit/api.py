"""Audits from Python."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from seepage.audit.findings.findings import Findings
from seepage.audit.findings.folder import admitted, check_folder
from seepage.audit.plan.brought import Brought
from seepage.audit.plan.plan import Plan
from seepage.audit.plan.request import Asked, Request, plan_of
from seepage.audit.plan.spelling import keywords_in_errors
from seepage.audit.progress import notebook_progress
from seepage.audit.sweep import Progress, plan_sweep, run_sweep
from seepage.catalogs import lending
from seepage.errors import UnknownName


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
    jobs: int = 0,
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
        Worker processes; 0 works in this process, as notebooks want it. Attacks of
        your own then run in processes of their own, as with `isolate`.
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
    brought = Brought(apart=isolate or jobs > 0)
    request = Request(
        data=data, label=label, id_column=id_column, impute=impute, keep_missing=keep_missing, rows=rows, text=text,
        parties=parties, federations=federations, attacks=brought.choices("attacks", attacks),
        defenses=brought.choices("defenses", defenses), seeds=seeds, isolate=isolate, **others,
    )  # fmt: skip
    with keywords_in_errors(), notebook_progress() as progress, lending(brought.classes):
        return carry_out(request, out=Path(out) if out is not None else None, add=add, jobs=jobs, progress=progress)


def carry_out(
    request: Request,
    *,
    out: Path | None,
    add: bool = False,
    jobs: int,
    store: Path | None = None,
    progress: Progress,
) -> Findings:
    """Make the plan that was asked for, check it against the folder, and run it: all that any caller does.

    Nothing is written before everything that can be checked without training is.
    """
    if out is not None:
        check_folder(out)
    sweep = plan_sweep(plan_of(request))
    if out is not None:
        plan = admitted(out, sweep.plan, add=add)
        sweep = sweep if plan == sweep.plan else plan_sweep(plan)
    return Findings(tuple(run_sweep(sweep, out=out, jobs=jobs, store=store, progress=progress)), sweep.plan)
