"""Options that several commands share, and what they ask for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

from typer import Context, Option

from seepage.errors import BadPlan

if TYPE_CHECKING:
    from seepage.audit.plan.request import Asked, Request

Label = Annotated[str | None, Option(help="Label column of a file.")]
Id = Annotated[str | None, Option("--id", help="Column that names the rows of a file.")]
Impute = Annotated[bool, Option("--impute", help="Fill missing values instead of refusing them.")]
KeepMissing = Annotated[
    bool, Option("--keep-missing", help="Leave missing values to federations of trees, which learn where they go.")
]
Rows = Annotated[int | None, Option(help="Audit a random sample of so many rows of the table; by default all.")]
Text = Annotated[str | None, Option(help="Column of texts of a file, which are cut into pieces between the parties.")]
Words = Annotated[int | None, Option(help="How many words of each text are read, 64 by default.")]
Vocabulary = Annotated[
    str | None,
    Option(help="To how many numbers words are hashed, 8192 by default; or the vocab.txt of a BERT encoder."),
]
PartyColumns = Annotated[
    list[str] | None,
    Option(
        "--party",
        help="Who holds which columns, as NAME=COLUMN,COLUMN. The first is the active party and may be empty.",
        metavar="NAME=COL,COL",
    ),
]
Parties = Annotated[int | None, Option(help="How many parties, when columns are dealt.")]
AdversaryShare = Annotated[float | None, Option(help="Share of the columns that the adversary gets.")]
PartitionKind = Annotated[
    str | None, Option("--partition", help="How columns are dealt: random, halves, by-importance or stripes.")
]
Overlap = Annotated[bool, Option("--overlap", help="Allow a column at several parties.")]
LabelsOnly = Annotated[
    bool, Option("--labels-only", help="The active party holds labels alone; columns are dealt to the others.")
]
Adversary = Annotated[
    list[str] | None,
    Option(
        "--adversary",
        help="Who is curious; several names, separated by commas or in several options, collude.",
        metavar="NAME,NAME",
    ),
]
Model = Annotated[
    list[str] | None,
    Option(
        "--model",
        help="A setting of the federation, as epochs=30, or for trees depth=6 or encryption=okamoto-uchiyama.",
        metavar="KEY=VALUE",
    ),
]
InsecureKey = Annotated[
    bool, Option("--insecure-key", help="Allow keys below 2048 bits, which protect nothing: for trying things out.")
]
EncodingKind = Annotated[str | None, Option("--encoding", help="one-hot, ordinal or hash.")]
Scaling = Annotated[str | None, Option(help="standard or minmax.")]
Split = Annotated[str | None, Option(help="stratified (80/20 by seed) or official, where the data have one.")]
Seeds = Annotated[int | None, Option(help="How many seeds, counted from 0.")]
Jobs = Annotated[
    int | None, Option(help="Worker processes; by default one for each core. 0 works in this process.", min=0)
]
EngineName = Annotated[
    str | None,
    Option(
        "--engine",
        help="What carries the work out: here (this process), processes (by default) or ray.",
        metavar="here|processes|ray",
    ),
]
Address = Annotated[
    str | None, Option(help="Address of a Ray cluster, as HOST:PORT; without it one is started on this machine.")
]
Part = Annotated[
    str | None,
    Option(
        "--slice",
        help="Do one share of the audit, as 2/4: for job arrays. All slices write to the same --out.",
        metavar="I/N",
    ),
]
Threads = Annotated[int | None, Option(help="Threads of each worker.", min=1)]
Timeout = Annotated[float | None, Option(help="Seconds that one training with its attacks may take.")]
Device = Annotated[str | None, Option(help="cpu or cuda.")]
Isolate = Annotated[
    bool,
    Option(
        "--isolate",
        help="Run our own attacks in processes of their own too, which are given a view and nothing else.",
    ),
]
HideModel = Annotated[
    bool, Option("--hide-model", help="Do not release the parties' models: attacks that read them do not apply.")
]
Properties = Annotated[
    list[str] | None,
    Option(
        "--property",
        help="A property whose fraction in the population is a secret, as sex=Male, age=30..40 or age=65..; "
        "several are asked about one by one.",
        metavar="COLUMN=VALUE",
    ),
]
Json = Annotated[
    str | None, Option("--json", help="Write findings as JSON lines to FILE; - is standard output.", metavar="FILE|-")
]


Table = Annotated[
    bool,
    Option("--table", help="Print the strongest attack under every defense, and what did not apply, with reasons."),
]
Add = Annotated[
    bool, Option("--add", help="Extend the audit that --out holds: its finished results are kept, more are added.")
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
        **cast("Any", {key: value for key, value in others.items() if value != []}),  # Typer's way to say: not given
    )


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
