"""Audits from Python."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seepage.audit.findings.finding import Finding
from seepage.audit.plan.brought import Brought
from seepage.audit.plan.defaults import default_choices, embedded_plan
from seepage.audit.plan.plan import Plan, make_plan, read_plan
from seepage.audit.stages.preflight import without_idle_defenses
from seepage.audit.sweep import plan_sweep, run_sweep
from seepage.catalogs import lending
from seepage.errors import BadPlan

Choices = Sequence[str | Mapping[str, Any] | object]


def audit(
    data: str | Path | Plan | None = None,
    *,
    label: str | None = None,
    id_column: str | None = None,
    impute: bool = False,
    keep_missing: bool = False,
    rows: int | None = None,
    text: str | None = None,
    parties: Mapping[str, Sequence[str]] | None = None,
    federations: Choices | None = None,
    attacks: Choices | None = None,
    defenses: Choices | None = None,
    seeds: int | Sequence[int] | None = None,
    out: str | Path | None = None,
    jobs: int = 0,
    isolate: bool = False,
    **plan: Any,
) -> list[Finding]:
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
        Who holds which columns, the active party first.
    federations, attacks, defenses
        Names, or tables of ``name`` and ``settings``; by default all of them. Attacks and
        defenses may also be objects of your own, ``MyAttack(epochs=3)``: they are
        your code, and run here.
    seeds
        How many, or which; three by default.
    out
        A folder to keep findings in; an audit that was killed continues there.
    jobs
        Worker processes; 0 works in this process, as notebooks want it. Attacks of
        your own then run in processes of their own, as with `isolate`.
    isolate
        Run every attack in a process of its own that is given the view and nothing else.
        Classes must then be ones that can be imported.
    plan
        Any other key of a plan, such as ``encoding="ordinal"``.

    Examples
    --------
    >>> import seepage
    >>> chosen = {"federations": ["logistic-regression"], "attacks": ["gradient-sign"], "defenses": []}
    >>> findings = seepage.audit("iris", **chosen, seeds=1)
    >>> [(finding.attack, finding.value) for finding in findings]
    [('gradient-sign', 1.0)]
    """
    brought = Brought(apart=isolate or jobs > 0)
    if isinstance(data, Plan) or (data is not None and Path(data).suffix == ".toml"):
        beside = (label, id_column, rows, text, parties, federations, attacks, defenses, seeds)
        if plan or impute or keep_missing or any(given is not None for given in beside):
            raise BadPlan("A plan says what to audit; put other settings into it, or leave it away.")
        chosen = data if isinstance(data, Plan) else read_plan(Path(data))
    else:
        values = (
            embedded_plan(properties=bool(plan.get("properties")))
            if data is None
            else {
                "data": {**_source(data, label, id_column, impute), "keep_missing": keep_missing},
                **default_choices(gaps=keep_missing, properties=bool(plan.get("properties")), words=text is not None),
            }
        )
        if rows is not None:
            values["data"]["rows"] = rows
        if text is not None:
            values["data"]["text"] = text
        if parties is not None:
            values["partition"] = {
                "kind": "named",
                "columns": {name: list(columns) for name, columns in parties.items()},
            }
        for key, choices in (("federations", federations), ("attacks", attacks), ("defenses", defenses)):
            if choices is not None:
                values[key] = [brought.choice(key, choice) for choice in choices]
        chosen = make_plan({**values, **({} if seeds is None else {"seeds": seeds}), **plan}, source="The audit")
        with lending(brought.classes):
            chosen = chosen if defenses is not None else without_idle_defenses(chosen)
    if isolate:
        chosen = chosen.model_copy(update={"isolation": chosen.isolation.model_copy(update={"ours": True})})
    with lending(brought.classes):
        return run_sweep(plan_sweep(chosen), out=Path(out) if out is not None else None, jobs=jobs)


def _source(data: str | Path, label: str | None, id_column: str | None, impute: bool) -> dict[str, Any]:
    if label is not None or Path(data).suffix in {".csv", ".parquet", ".pq"}:
        return {"file": str(data), "label": label, "id": id_column, "impute": impute}
    return {"name": str(data), "impute": impute}
