"""seepage audit."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit, Option

from seepage.cli import options
from seepage.cli.console import err, expected_errors, out, progress_bar

if TYPE_CHECKING:
    from seepage.audit.gathering import Gathered
    from seepage.audit.plan.slices import Slice


def audit(
    source: Annotated[
        str | None,
        Argument(
            help="A plan (TOML), a table (CSV, Parquet) or a name from the catalog; none is the embedded default."
        ),
    ] = None,
    folder: Annotated[Path, Option("--out", help="Folder for the report and the findings.")] = Path("seepage-audit"),
    federation: Annotated[list[str] | None, Option(help="Federation to try; by default all.")] = None,
    attack: Annotated[
        list[str] | None, Option(help="Attack to try, as NAME or NAME:key=value; by default all.")
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
    add: options.Add = False,
    jobs: options.Jobs = None,
    engine: options.EngineName = None,
    address: options.Address = None,
    part: options.Part = None,
    threads: options.Threads = None,
    timeout: options.Timeout = None,
    device: options.Device = None,
    isolate: options.Isolate = False,
    hide_model: options.HideModel = False,
    properties: options.Properties = None,
    table: options.Table = False,
) -> None:
    """Try every attack on a federation over your table, and write a report.

    What could they learn about us, which defense brings that down, what does it cost?
    Writes report.html, findings.jsonl and plan.toml; a killed audit continues when run again.
    """
    with expected_errors():
        from seepage.audit.api import carry_out, carry_out_slice
        from seepage.audit.plan.slices import Slice

        slice_ = Slice.parse(part) if part is not None else None
        request = options.asked_for(
            data=source, federation=federation, attacks=attack, defenses=defense, label=label, id_column=id_column,
            impute=impute, keep_missing=keep_missing, rows=rows, text=text, words=words, vocabulary=vocabulary,
            party=party, parties=parties, adversary_share=adversary_share, partition=partition,
            labels_only=labels_only, overlap=overlap, adversary=adversary, model=model, insecure_key=insecure_key,
            encoding=encoding, scaling=scaling, split=split, seeds=seeds, threads=threads, timeout=timeout,
            device=device, isolate=isolate, engine=options.default_engine(engine, jobs), address=address,
            hide_model=hide_model, properties=properties,
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
