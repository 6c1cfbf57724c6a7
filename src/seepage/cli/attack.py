"""seepage attack."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Context, Exit, Option

from seepage.cli import options
from seepage.cli.console import err, expected_errors, progress_bar
from seepage.errors import BadPlan

if TYPE_CHECKING:
    from seepage.audit.findings.finding import Finding


def attack(
    context: Context,
    name: Annotated[str, Argument(help="An attack; 'seepage list attacks' shows all. Or package.module:Class.")],
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
    jobs: options.Jobs = None,
    threads: options.Threads = None,
    timeout: options.Timeout = None,
    device: options.Device = None,
    hide_model: options.HideModel = False,
    properties: options.Properties = None,
    isolate: options.Isolate = False,
) -> None:
    """Train a federation, run one attack on it, and score the guess.

    With --transcript nothing is trained: the attack reads a stored run.
    """
    from seepage.attacks.catalog import ATTACKS
    from seepage.audit.plan.plan import make_plan
    from seepage.audit.plan.settings import parse_assignments, parse_choice
    from seepage.files import private_folder

    with expected_errors():
        ATTACKS.entry(name)  # says which names there are
        given = parse_assignments(setting or (), "--set")
        if json_file is not None and json_file != "-":
            private_folder(Path(json_file).parent, option="--json")
        if transcript is not None:
            effective = {"name", "transcript", "setting", "adversary", "guess", "json_file", "isolate"}
            options.refuse_others(context, effective, "--transcript attacks a run that is over")
            findings = _attack_stored(name, given, transcript, adversary, guess, isolate)
        else:
            from seepage.audit.plan.attacks import built_attack
            from seepage.audit.plan.defaults import first_choice
            from seepage.audit.stages.preflight import first_applicable
            from seepage.audit.sweep import plan_sweep, run_sweep

            if guess is not None:
                raise BadPlan("--guess goes with --transcript: runs trained here are scored, and keep no guess.")
            if model and not federation:
                raise BadPlan("--model sets a field of one federation: name it with --federation.")
            if insecure_key and not federation:
                raise BadPlan("--insecure-key allows short keys for one federation: name it with --federation.")
            steals = built_attack(name, given).steals
            if properties and steals != "properties":
                raise BadPlan(f"{name} steals {steals}, so --property does not go with it.")
            if not properties and steals == "properties":
                raise BadPlan(f"{name} estimates how many have a property: name one with --property COLUMN=VALUE.")
            defenses = [parse_choice(text, "--defense") for text in defense or ()]
            trained = [
                {"name": federation, "settings": parse_assignments(model or (), "--model")}
                if federation
                else first_choice(words=text is not None)
            ]
            values: dict[str, Any] = {
                "data": options.source(
                    "breast_cancer" if data is None else data, label, id_column, impute, keep_missing, rows
                )
                | options.text_column(text, words, vocabulary),
                "partition": options.partition(party, parties, adversary_share, partition, overlap, labels_only),
                "federations": options.with_short_keys(trained) if insecure_key else trained,
                "attacks": [{"name": name, "settings": given}],
                "defenses": [{"name": chosen, "settings": settings} for chosen, settings in defenses],
                "undefended": not defenses,
                **options.common(
                    adversary,
                    encoding,
                    scaling,
                    split,
                    seeds,
                    threads,
                    timeout,
                    device,
                    hide_model,
                    properties,
                    isolate,
                ),
            }
            plan = make_plan(values, source="The attack")
            sweep = plan_sweep(plan if federation else first_applicable(plan))
            with progress_bar() as progress:
                findings = run_sweep(
                    sweep, out=folder, jobs=options.default_jobs(jobs), store=keep_transcript, progress=progress
                )
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
) -> list["Finding"]:
    from seepage.audit.isolation.limits import Isolation, isolating
    from seepage.audit.plan.attacks import built_attack
    from seepage.audit.recordings.guess_file import write_guess
    from seepage.audit.recordings.recorded_run import read_run
    from seepage.audit.recordings.stored_attack import check_stored
    from seepage.audit.stages.attacking import attack_run

    run, built = read_run(folder, tuple(options.colluding(adversary))), built_attack(name, settings)
    check_stored(run, built, name)
    with isolating(Isolation(ours=isolate)):
        outcome = attack_run(run, built, name, seed=int(run.facts.get("seed", 0)))
    if outcome.guess is not None and (guess_file is not None or run.truth is None):
        path = write_guess(outcome.guess, guess_file or Path("seepage-guess.parquet"))
        err.print(f"Guess: {path}", markup=False)
    return [outcome.finding]


def _show(findings: list["Finding"], json_file: str | None, title: str) -> None:
    from seepage.audit.findings.finding import to_lines
    from seepage.cli.tables import print_findings
    from seepage.files import write_private

    if json_file == "-":
        import sys

        sys.stdout.write(to_lines(findings))
        return
    if json_file is not None:
        write_private(Path(json_file), to_lines(findings))
    print_findings(findings, title, every=True)
