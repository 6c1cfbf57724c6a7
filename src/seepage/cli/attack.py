"""seepage attack."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Context, Exit, Option

from seepage.cli import options
from seepage.cli.console import err, expected_errors, progress_bar
from seepage.errors import BadPlan

if TYPE_CHECKING:
    from seepage.audit.findings.findings import Findings


def attack(
    context: Context,
    name: Annotated[str, Argument(help="An attack; 'seepage list attacks' shows all.")],
    data: Annotated[
        str | None, Option(help="A file (CSV, Parquet) or a name from the catalog; breast_cancer by default.")
    ] = None,
    federation: Annotated[
        str | None, Option(help="A federation; by default the first to which the attack applies.")
    ] = None,
    defense: Annotated[
        list[str] | None, Option(help="A defense, as NAME:key=value,key=value; several are tried one by one.")
    ] = None,
    setting: Annotated[
        list[str] | None, Option("--set", help="A setting of the attack, as epochs=[0,1].", metavar="KEY=VALUE")
    ] = None,
    transcript: Annotated[Path | None, Option(help="Attack a stored run instead of training.")] = None,
    keep_transcript: Annotated[Path | None, Option(help="Store the recorded run in this folder.")] = None,
    guess: Annotated[Path | None, Option(help="With --transcript: write the guess to this Parquet file.")] = None,
    folder: Annotated[
        Path | None, Option("--out", help="Folder to keep findings in; a killed run continues there.")
    ] = None,
    json_file: options.Json = None,
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
    threads: options.Threads = None,
    timeout: options.Timeout = None,
    device: options.Device = None,
    isolate: options.Isolate = False,
    hide_model: options.HideModel = False,
    hide_predictions: options.HidePredictions = False,
    properties: options.Properties = None,
) -> None:
    """Train a federation, run one attack on it, and score the guess.

    With --transcript nothing is trained: the attack reads a stored run.
    """
    with expected_errors():
        from seepage.attacks.catalog import ATTACKS
        from seepage.audit.api import carry_out
        from seepage.audit.plan.settings import parse_assignments
        from seepage.files import check_file

        ATTACKS.entry(name)  # says which names there are
        settings = parse_assignments(setting or (), "--set")
        if json_file is not None and json_file != "-":
            check_file(Path(json_file), option="--json")
        if transcript is not None:
            effective = {"name", "transcript", "setting", "adversary", "guess", "json_file", "isolate"}
            options.refuse_others(context, effective, "--transcript attacks a run that is over")
            findings = _attack_stored(name, settings, transcript, adversary, guess, isolate)
        else:
            if guess is not None:
                raise BadPlan("--guess goes with --transcript: runs trained here are scored, and keep no guess.")
            request = options.asked_for(
                data="breast_cancer" if data is None else data, federation=[federation] if federation else None,
                attacks=[{"name": name, "settings": settings}], defenses=defense, first_federation=True, label=label,
                id_column=id_column, impute=impute, keep_missing=keep_missing, rows=rows, text=text, words=words,
                vocabulary=vocabulary, party=party, parties=parties, adversary_share=adversary_share,
                partition=partition, labels_only=labels_only, overlap=overlap, adversary=adversary, model=model,
                insecure_key=insecure_key, encoding=encoding, scaling=scaling, split=split, seeds=seeds,
                threads=threads, timeout=timeout, device=device, hide_model=hide_model,
                hide_predictions=hide_predictions, properties=properties,
                isolate=isolate, engine=options.default_engine(engine, jobs), address=address,
            )  # fmt: skip
            with progress_bar() as progress:
                findings = carry_out(request, out=folder, add=add, jobs=jobs, store=keep_transcript, progress=progress)
        _show(findings, json_file, f"{name} on {findings[0].data}")
    if any(finding.status == "failed" for finding in findings):
        raise Exit(code=1)


def _attack_stored(
    name: str,
    settings: dict[str, Any],
    folder: Path,
    adversary: list[str] | None,
    guess_file: Path | None,
    isolate: bool,
) -> "Findings":
    from seepage.audit.findings.findings import Findings
    from seepage.audit.isolation.limits import Isolation, isolating
    from seepage.audit.plan.attacks import built_attack
    from seepage.audit.recordings.applying import as_granted
    from seepage.audit.recordings.guess_file import write_guess
    from seepage.audit.recordings.recorded_run import read_run
    from seepage.audit.recordings.stored_attack import check_stored
    from seepage.audit.stages.attacking import attack_run
    from seepage.files import check_file

    if guess_file is not None:
        check_file(guess_file, option="--guess")
    run, built = read_run(folder, tuple(options.colluding(adversary))), built_attack(name, settings)
    built = as_granted(built, run, tuple(settings))
    check_stored(run, built, name)
    with isolating(Isolation(ours=isolate)):
        outcome = attack_run(run, built, name)
    if outcome.guess is not None and (guess_file is not None or run.truth is None):
        path = write_guess(outcome.guess, guess_file or Path("seepage-guess.parquet"))
        err.print(f"Guess: {path}", markup=False)
    return Findings((outcome.finding,))


def _show(findings: "Findings", json_file: str | None, title: str) -> None:
    from seepage.audit.findings.survey import Survey
    from seepage.cli.tables import print_survey

    if json_file == "-":
        import sys

        sys.stdout.write(findings.to_json_lines())
        return
    if json_file is not None:
        findings.save(json_file)
    print_survey(Survey(findings), title, every=True)
