"""Options that several commands share, and what they ask for."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from typer import Context, Option

from seepage.errors import BadPlan

if TYPE_CHECKING:
    from seepage.audit.plan.request import Asked, Request

DATA = "Data"
PARTIES = "Parties"
TRIED = "What is tried"
ATTACKS = "Who attacks"
RUNS = "How it runs"
OUTPUT = "Output"

Label = Annotated[str | None, Option(help="Label column of a file.", rich_help_panel=DATA)]
Id = Annotated[str | None, Option("--id", help="Column that names the rows of a file.", rich_help_panel=DATA)]
Impute = Annotated[bool, Option("--impute", help="Fill missing values instead of refusing them.", rich_help_panel=DATA)]
KeepMissing = Annotated[
    bool,
    Option(
        "--keep-missing",
        help="Leave missing values to federations of trees, which learn where they go.",
        rich_help_panel=DATA,
    ),
]
Rows = Annotated[
    int | None, Option(help="Audit a random sample of so many rows of the table; by default all.", rich_help_panel=DATA)
]
Text = Annotated[
    str | None,
    Option(help="Column of texts of a file, which are cut into pieces between the parties.", rich_help_panel=DATA),
]
Words = Annotated[int | None, Option(help="How many words of each text are read, 64 by default.", rich_help_panel=DATA)]
Vocabulary = Annotated[
    str | None,
    Option(
        help="To how many numbers words are hashed, 8192 by default; or the vocab.txt of a BERT encoder.",
        rich_help_panel=DATA,
    ),
]
PartyColumns = Annotated[
    list[str] | None,
    Option(
        "--party",
        help="Who holds which columns, as NAME=COLUMN,COLUMN. The first is the active party and may be empty.",
        metavar="NAME=COL,COL",
        rich_help_panel=PARTIES,
    ),
]
Parties = Annotated[int | None, Option(help="How many parties, when columns are dealt.", rich_help_panel=PARTIES)]
AdversaryShare = Annotated[
    float | None, Option(help="Share of the columns that the adversary gets.", rich_help_panel=PARTIES)
]
PartitionKind = Annotated[
    str | None,
    Option(
        "--partition", help="How columns are dealt: random, halves, by-importance or stripes.", rich_help_panel=PARTIES
    ),
]
Overlap = Annotated[bool, Option("--overlap", help="Allow a column at several parties.", rich_help_panel=PARTIES)]
LabelsOnly = Annotated[
    bool,
    Option(
        "--labels-only",
        help="The active party holds labels alone; columns are dealt to the others.",
        rich_help_panel=PARTIES,
    ),
]
Adversary = Annotated[
    list[str] | None,
    Option(
        "--adversary",
        help="Who is curious; several names, separated by commas or in several options, collude.",
        metavar="NAME,NAME",
        rich_help_panel=ATTACKS,
    ),
]
Model = Annotated[
    list[str] | None,
    Option(
        "--model",
        help="A setting of the federation, as epochs=30, or for trees depth=6 or encryption=okamoto-uchiyama.",
        metavar="KEY=VALUE",
        rich_help_panel=TRIED,
    ),
]
InsecureKey = Annotated[
    bool,
    Option(
        "--insecure-key",
        help="Allow keys below 2048 bits, which protect nothing: for trying things out.",
        rich_help_panel=TRIED,
    ),
]
EncodingKind = Annotated[str | None, Option("--encoding", help="one-hot, ordinal or hash.", rich_help_panel=DATA)]
Scaling = Annotated[str | None, Option(help="standard or minmax.", rich_help_panel=DATA)]
Split = Annotated[
    str | None,
    Option(
        help="stratified (80/20 by seed), another share of rows that test (0.5), or official, where data have one.",
        rich_help_panel=DATA,
    ),
]
Seeds = Annotated[int | None, Option(help="How many seeds, counted from 0.", rich_help_panel=TRIED)]
Jobs = Annotated[
    int | None,
    Option(
        help="Worker processes; by default one for each core. 0 works in this process.", min=0, rich_help_panel=RUNS
    ),
]
EngineName = Annotated[
    str | None,
    Option(
        "--engine",
        help="What carries the work out: here (this process), processes (by default) or ray.",
        metavar="here|processes|ray",
        rich_help_panel=RUNS,
    ),
]
Address = Annotated[
    str | None,
    Option(
        help="Address of a Ray cluster, as HOST:PORT; without it one is started on this machine.", rich_help_panel=RUNS
    ),
]
Part = Annotated[
    str | None,
    Option(
        "--slice",
        help="Do one share of the audit, as 2/4: for job arrays. All slices write to the same --out.",
        metavar="I/N",
        rich_help_panel=RUNS,
    ),
]
Threads = Annotated[int | None, Option(help="Threads of each worker.", min=1, rich_help_panel=RUNS)]
Timeout = Annotated[
    float | None, Option(help="Seconds that one training with its attacks may take.", rich_help_panel=RUNS)
]
Device = Annotated[str | None, Option(help="cpu or cuda.", rich_help_panel=RUNS)]
Isolate = Annotated[
    bool,
    Option(
        "--isolate",
        help="Run our own attacks in processes of their own too, which are given a view and nothing else.",
        rich_help_panel=RUNS,
    ),
]
HideModel = Annotated[
    bool,
    Option(
        "--hide-model",
        help="Do not release the parties' models: attacks that read them do not apply.",
        rich_help_panel=ATTACKS,
    ),
]
HidePredictions = Annotated[
    bool,
    Option(
        "--hide-predictions",
        help="Send predictions to nobody but the label holder: attacks of others on them do not apply.",
        rich_help_panel=ATTACKS,
    ),
]
Properties = Annotated[
    list[str] | None,
    Option(
        "--property",
        help="A property whose fraction in the population is a secret, as sex=Male, age=30..40 or age=65..; "
        "several are asked about one by one.",
        metavar="COLUMN=VALUE",
        rich_help_panel=TRIED,
    ),
]
NoProperties = Annotated[
    bool, Option("--no-properties", help="Do not ask about columns with few values.", rich_help_panel=TRIED)
]
Quick = Annotated[
    bool,
    Option(
        "--quick",
        help="A look in minutes: 5,000 rows, the strongest attacks, the most promising defenses.",
        rich_help_panel=TRIED,
    ),
]
Standard = Annotated[
    bool,
    Option(
        "--standard",
        help="The default: all rows, three seeds, every attack that says something new, each defense once.",
        rich_help_panel=TRIED,
    ),
]
Thorough = Annotated[
    bool,
    Option(
        "--thorough",
        help="Everything: five seeds, every attack and baseline, several settings of each defense.",
        rich_help_panel=TRIED,
    ),
]
Federation = Annotated[list[str] | None, Option(help="Federation to try; by default all.", rich_help_panel=TRIED)]
AttackNames = Annotated[
    list[str] | None,
    Option(help="Attack to try, as NAME or NAME:key=value; by default as deep as asked.", rich_help_panel=TRIED),
]
DefenseNames = Annotated[
    list[str] | None,
    Option(
        help="Defense to try, as NAME:key=value; by default as deep as asked. 'none' tries none.",
        rich_help_panel=TRIED,
    ),
]
Json = Annotated[
    str | None,
    Option(
        "--json",
        help="Write findings as JSON lines to FILE; - is standard output.",
        metavar="FILE|-",
        rich_help_panel=OUTPUT,
    ),
]


RecordedFolder = Annotated[
    Path | None,
    Option(
        "--transcript",
        help="Audit a recording instead of training: a folder that a recorder wrote.",
        rich_help_panel=DATA,
    ),
]
TruthFile = Annotated[
    Path | None,
    Option(
        "--truth",
        help="With a recording: score against the labels in this safetensors file.",
        rich_help_panel=DATA,
    ),
]
Table = Annotated[
    bool,
    Option(
        "--table",
        help="Print the strongest attack under every defense, and what did not apply, with reasons.",
        rich_help_panel=OUTPUT,
    ),
]
Add = Annotated[
    bool,
    Option(
        "--add",
        help="Extend the audit that --out holds: its finished results are kept, more are added.",
        rich_help_panel=OUTPUT,
    ),
]


def asked_for(
    *,
    party: list[str] | None,
    parties: int | None,
    adversary: list[str] | None,
    federation: list[str] | None,
    model: list[str] | None,
    vocabulary: str | None,
    hide_model: bool,
    hide_predictions: bool,
    **others: Any,
) -> "Request":
    """Return what was asked for; values that the command line has as text are read here."""
    from seepage.audit.plan.request import Request

    if party and parties is not None:
        raise BadPlan("--party names the columns of every party, so --parties does not go with it.")
    return Request(
        parties=named_columns(party) if party else parties,
        adversary=colluding(adversary) or None,
        federations=with_settings(federation, model),
        vocabulary=int(vocabulary) if vocabulary is not None and vocabulary.isdecimal() else vocabulary,
        model=False if hide_model else None,
        predictions=False if hide_predictions else None,
        **cast("Any", {key: value for key, value in others.items() if value != []}),  # Typer's way to say: not given
    )


def depth_of(*, quick: bool, standard: bool, thorough: bool) -> str | None:
    """Return which depth was asked for; None where nobody said.

    >>> depth_of(quick=True, standard=False, thorough=False)
    'quick'
    """
    asked = [name for name, given in (("quick", quick), ("standard", standard), ("thorough", thorough)) if given]
    if len(asked) > 1:
        raise BadPlan(
            f"An audit has one depth, but {' and '.join(f'--{name}' for name in asked)} are given: choose one."
        )
    return asked[0] if asked else None


def asked_properties(named: list[str] | None, *, none: bool) -> Sequence[str] | None:
    """Return the properties that were named, nothing where none are wanted, and None where nobody said."""
    if none and named:
        raise BadPlan(f"--no-properties asks about none, so --property {named[0]} does not go with it.")
    return () if none else named


def named_columns(party: Sequence[str]) -> dict[str, list[str]]:
    """Read who holds which columns.

    >>> named_columns(["bank=", "shop=deposit, visits"])
    {'bank': [], 'shop': ['deposit', 'visits']}
    """
    columns: dict[str, list[str]] = {}
    for text in party:
        name, equals, names = text.partition("=")
        if not equals or not name.strip():
            raise BadPlan(f"--party {text}: expected NAME=COLUMN,COLUMN, such as --party shop=deposit,visits.")
        if name.strip() in columns:
            raise BadPlan(f"Party '{name.strip()}' is named twice. Put all its columns into one --party.")
        columns[name.strip()] = [column.strip() for column in names.split(",") if column.strip()]
    return columns


def colluding(adversary: Sequence[str] | None) -> list[str]:
    """Return the names of all adversaries; each option may hold several."""
    return [name.strip() for names in adversary or () for name in names.split(",")]


def with_settings(federation: Sequence[str] | None, model: Sequence[str] | None) -> "list[Asked] | None":
    """Give every federation that was named the settings of --model."""
    from seepage.audit.plan.settings import parse_assignments, parse_choice

    settings = parse_assignments(model or (), "--model")
    if settings and not federation:
        raise BadPlan("--model sets a field of one federation: name it with --federation.")
    chosen = [parse_choice(text, "--federation") for text in federation or ()]
    return [{"name": name, "settings": {**own, **settings}} for name, own in chosen] or None


def refuse_others(context: Context, effective: set[str], why: str) -> None:
    """Refuse everything that was typed and would have no effect."""
    spelled = {parameter.name: parameter.opts[0] for parameter in context.command.params if parameter.opts}
    for name in context.params:
        given = context.get_parameter_source(name)
        if given is not None and given.name == "COMMANDLINE" and name not in effective:
            raise BadPlan(f"{why}, so {spelled[name]} does not go with it.")


def default_engine(engine: str | None, jobs: int | None) -> str:
    """Return what carries the work out where nobody says it: worker processes, unless there are to be none.

    >>> default_engine(None, None), default_engine(None, 0), default_engine("ray", None)
    ('processes', 'here', 'ray')
    """
    return engine or ("here" if jobs == 0 else "processes")


def default_jobs(jobs: int | None) -> int:
    """Return how many workers to use."""
    import os

    return jobs if jobs is not None else max(1, len(os.sched_getaffinity(0)))
