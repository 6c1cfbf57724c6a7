"""seepage audit."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Exit, Option

from seepage.cli import options
from seepage.cli.console import err, expected_errors, out, progress_bar

if TYPE_CHECKING:
    from seepage.audit.gathering import Gathered
    from seepage.audit.plan.slices import Slice


def audit(
    context: Context,
    source: Annotated[
        str | None,
        Argument(
            help="A plan (TOML), a table (CSV, Parquet) or a name from the catalog; none is the embedded default."
        ),
    ] = None,
    label: options.Label = None,
    id_column: options.Id = None,
    impute: options.Impute = False,
    keep_missing: options.KeepMissing = False,
    rows: options.Rows = None,
    text: options.Text = None,
    words: options.Words = None,
    vocabulary: options.Vocabulary = None,
    encoding: options.EncodingKind = None,
    scaling: options.Scaling = None,
    split: options.Split = None,
    party: options.PartyColumns = None,
    parties: options.Parties = None,
    adversary_share: options.AdversaryShare = None,
    partition: options.PartitionKind = None,
    labels_only: options.LabelsOnly = False,
    overlap: options.Overlap = False,
    quick: options.Quick = False,
    standard: options.Standard = False,
    thorough: options.Thorough = False,
    federation: options.Federation = None,
    attack: options.AttackNames = None,
    defense: options.DefenseNames = None,
    model: options.Model = None,
    insecure_key: options.InsecureKey = False,
    seeds: options.Seeds = None,
    properties: options.Properties = None,
    no_properties: options.NoProperties = False,
    adversary: options.Adversary = None,
    hide_model: options.HideModel = False,
    hide_predictions: options.HidePredictions = False,
    jobs: options.Jobs = None,
    engine: options.EngineName = None,
    address: options.Address = None,
    part: options.Part = None,
    threads: options.Threads = None,
    timeout: options.Timeout = None,
    device: options.Device = None,
    isolate: options.Isolate = False,
    folder: Annotated[
        Path, Option("--out", help="Folder for the report and the findings.", rich_help_panel=options.OUTPUT)
    ] = Path("seepage-audit"),
    add: options.Add = False,
    table: options.Table = False,
    transcript: options.RecordedFolder = None,
    truth: options.TruthFile = None,
) -> None:
    """Try every attack on a federation over your table, and write a report.

    What could they learn about us, which defense brings that down, what does it cost?
    Writes report.html, findings.jsonl and plan.toml; a killed audit continues when run again.

    [bold]Examples[/bold]

    seepage audit --quick
    seepage audit people.csv --label y --quick
    seepage audit people.csv --label y --party bank=age,income --party shop=visits
    seepage audit people.csv --label y --federation forest --defense label-dp
    seepage audit plan.toml
    seepage audit --transcript run
    """
    if transcript is not None:
        _audit_recording(context, transcript, truth, attack, adversary, folder, table=table, isolate=isolate)
        return
    with expected_errors():
        from seepage.audit.api import carry_out, carry_out_slice
        from seepage.audit.plan.slices import Slice
        from seepage.errors import BadPlan

        if truth is not None:
            raise BadPlan("--truth goes with --transcript: what is trained here is scored anyway.")
        slice_ = Slice.parse(part) if part is not None else None
        depth = options.depth_of(quick=quick, standard=standard, thorough=thorough)
        request = options.asked_for(
            data=source, depth=depth, federation=federation, attacks=attack, defenses=defense, label=label,
            id_column=id_column, impute=impute, keep_missing=keep_missing, rows=rows, text=text, words=words,
            vocabulary=vocabulary, party=party, parties=parties, adversary_share=adversary_share,
            partition=partition, labels_only=labels_only, overlap=overlap, adversary=adversary, model=model,
            insecure_key=insecure_key, encoding=encoding, scaling=scaling, split=split, seeds=seeds, threads=threads,
            timeout=timeout, device=device, isolate=isolate, engine=options.default_engine(engine, jobs),
            address=address, hide_model=hide_model, hide_predictions=hide_predictions,
            properties=options.asked_properties(properties, none=no_properties),
        )  # fmt: skip
        with progress_bar() as progress:
            if slice_ is not None:
                gathered = carry_out_slice(request, slice_, out=folder, add=add, jobs=jobs, progress=progress)
                if gathered.missing:
                    _tell_slice(gathered, slice_, folder)
                    raise Exit(code=1 if gathered.failed else 0)
                findings = gathered.findings
            else:
                findings = carry_out(request, out=folder, add=add, jobs=jobs, progress=progress)
        show_audit(folder, findings.about, table=table)
    if any(finding.status == "failed" for finding in findings):
        raise Exit(code=1)


def _audit_recording(
    context: Context,
    recorded: Path,
    truth: Path | None,
    attacks: list[str] | None,
    adversary: list[str] | None,
    folder: Path,
    *,
    table: bool,
    isolate: bool,
) -> None:
    """Try what applies to a run that is over, and show it as any other audit."""
    with expected_errors():
        from seepage.audit.isolation.limits import Isolation, isolating
        from seepage.audit.recordings.auditing import RecordingAudit

        effective = {"transcript", "truth", "attack", "adversary", "folder", "table", "isolate"}
        options.refuse_others(context, effective, "--transcript audits a run that is over")
        asked = RecordingAudit(recorded, tuple(options.colluding(adversary)), tuple(attacks or ()), truth)
        with isolating(Isolation(ours=isolate)):
            findings = asked.run(folder, _tell_attack)
        show_audit(folder, findings[0].data, table=table)
    if any(finding.status == "failed" for finding in findings):
        raise Exit(code=1)


def _tell_attack(who: str, name: str) -> None:
    """Say on a terminal what is being tried."""
    if err.is_terminal:
        err.print(f"{who}: {name}", markup=False, highlight=False)


def show_audit(folder: Path, about: str, *, table: bool = False) -> None:
    """Draw the page of an audit, and print the verdict, or everything."""
    from seepage.audit.findings.survey import Survey
    from seepage.cli.tables import print_survey, print_verdict
    from seepage.report import write_report

    survey = Survey.read(folder)
    page = write_report(folder, survey)
    (print_survey if table else print_verdict)(survey, f"Who can learn what ({about})")
    out.print(f"Report: {page}", markup=False, soft_wrap=True)


def _tell_slice(gathered: "Gathered", part: "Slice", folder: Path) -> None:
    """Say that others have still to come, and what failed here."""
    for reason in gathered.failed:
        err.print(f"Failed: {reason}", markup=False)
    out.print(
        f"Slice {part} is {'over' if gathered.failed else 'done'}. Missing: {gathered.absent}. "
        f"The last slice writes the report, and 'seepage merge {folder}' does too.",
        markup=False,
        soft_wrap=True,
    )
