"""seepage audit."""

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Context, Exit, Option

from seepage.cli import options
from seepage.cli.console import expected_errors, out, progress_bar
from seepage.errors import BadPlan


def audit(
    context: Context,
    source: Annotated[
        str | None,
        Argument(
            help="A plan (TOML), a table (CSV, Parquet) or a name from the catalog; none is the embedded default."
        ),
    ] = None,
    folder: Annotated[Path, Option("--out", help="Folder for the report and the findings.")] = Path("seepage-audit"),
    federation: Annotated[list[str] | None, Option(help="Federation to try; by default all.")] = None,
    attack: Annotated[
        list[str] | None, Option(help="Attack to try, as NAME, NAME:key=value or package.module:Class; by default all.")
    ] = None,
    defense: Annotated[
        list[str] | None,
        Option(help="Defense to try, as NAME:key=value; by default one setting of each. 'none' tries none."),
    ] = None,
    label: options.Label = None,
    id_column: options.Id = None,
    impute: options.Impute = False,
    keep_missing: options.KeepMissing = False,
    rows: options.Rows = None,
    text: options.Text = None,
    words: options.Words = None,
    vocabulary: options.Vocabulary = None,
    party: options.PartyColumns = None,
    parties: options.Parties = None,
    adversary_share: options.AdversaryShare = None,
    partition: options.PartitionKind = None,
    labels_only: options.LabelsOnly = False,
    overlap: options.Overlap = False,
    adversary: options.Adversary = None,
    model: options.Model = None,
    insecure_key: options.InsecureKey = False,
    encoding: options.EncodingKind = None,
    scaling: options.Scaling = None,
    split: options.Split = None,
    seeds: options.Seeds = None,
    jobs: options.Jobs = None,
    threads: options.Threads = None,
    timeout: options.Timeout = None,
    device: options.Device = None,
    hide_model: options.HideModel = False,
    properties: options.Properties = None,
    isolate: options.Isolate = False,
) -> None:
    """Try every attack on a federation over your table, and write a report.

    What could they learn about us, which defense brings that down, what does it cost?
    Writes report.html, findings.jsonl and plan.toml; a killed audit continues when run again.
    """
    from seepage.audit.plan.defaults import default_choices, embedded_plan
    from seepage.audit.plan.plan import Plan, make_plan, read_plan
    from seepage.audit.plan.settings import parse_assignments, parse_choice
    from seepage.audit.stages.preflight import without_idle_defenses
    from seepage.audit.sweep import plan_sweep, run_sweep
    from seepage.cli.tables import print_findings
    from seepage.files import private_folder
    from seepage.report import write_report

    def from_options() -> Plan:
        values: dict[str, Any] = (
            embedded_plan(properties=bool(properties))
            if source is None
            else default_choices(gaps=keep_missing, properties=bool(properties), words=text is not None)
        )
        if source is not None:
            values["data"] = options.source(source, label, id_column, impute, keep_missing, rows)
        elif label is not None or id_column is not None:
            raise BadPlan("--label and --id belong to a file, but no file is given: seepage audit FILE --label COLUMN.")
        elif rows is not None:
            values["data"]["rows"] = rows
        values["data"] |= options.text_column(text, words, vocabulary)
        dealt = options.partition(party, parties, adversary_share, partition, overlap, labels_only)
        if dealt and (source is not None or party or parties not in {None, 2}):
            values["partition"] = dealt
        elif dealt:
            values["partition"] |= dealt
        settings = parse_assignments(model or (), "--model")
        if federation:
            values["federations"] = [{"name": name, "settings": settings} for name in federation]
        elif settings:
            raise BadPlan("--model sets a field of one federation: name it with --federation.")
        if insecure_key:
            values["federations"] = options.with_short_keys(values["federations"])
        for key, option, texts in (("attacks", "--attack", attack), ("defenses", "--defense", defense)):
            if texts:
                chosen = [parse_choice(text, option) for text in texts if text != "none"]
                values[key] = [{"name": name, "settings": given} for name, given in chosen]
        values |= options.common(
            adversary, encoding, scaling, split, seeds, threads, timeout, device, hide_model, properties, isolate
        )
        chosen_plan = make_plan(values, source="The audit")
        return chosen_plan if defense else without_idle_defenses(chosen_plan)

    def from_file(path: Path) -> Plan:
        effective = {"source", "folder", "seeds", "jobs", "threads", "timeout", "device", "isolate"}
        options.refuse_others(context, effective, f"{path} says what to audit")
        changed = options.common(None, None, None, None, seeds, threads, timeout, device, hide_model, isolate=isolate)
        plan = read_plan(path)
        return make_plan({**plan.model_dump(), **changed}, source=str(path)) if changed else plan

    with expected_errors():
        plan = from_file(Path(source)) if source is not None and Path(source).suffix == ".toml" else from_options()
        private_folder(folder)
        sweep = plan_sweep(plan)
        with progress_bar() as progress:
            findings = run_sweep(sweep, out=folder, jobs=options.default_jobs(jobs), progress=progress)
        page = write_report(folder)
    seeds_used = len(plan.seeds)
    print_findings(findings, f"Who can learn what ({plan.data.title}, {seeds_used} seed{'s' * (seeds_used > 1)})")
    out.print(f"Report: {page}", markup=False, soft_wrap=True)
    if any(finding.status == "failed" for finding in findings):
        raise Exit(code=1)
