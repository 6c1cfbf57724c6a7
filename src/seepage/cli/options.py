"""Options that several commands share, and the plan they add up to."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, cast

from typer import Context, Option

from seepage.errors import BadPlan

SHORT_KEYS: Final = "insecure_key"
"""The field of a federation that allows short keys."""

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


def source(
    data: str,
    label: str | None,
    id_column: str | None,
    impute: bool,
    keep_missing: bool = False,
    rows: int | None = None,
) -> dict[str, Any]:
    """Tell a file from a name of the catalog."""
    from seepage.data.catalog import DATASETS

    always = _given(impute=impute, keep_missing=keep_missing, rows=rows)
    if data in DATASETS and not Path(data).exists():
        if label is not None or id_column is not None:
            raise BadPlan(f"'{data}' is a data set of the catalog, whose label is known: leave out --label and --id.")
        return {"name": data, **always}
    is_file = label is not None or Path(data).suffix.lower() in {".csv", ".parquet", ".pq"} or Path(data).is_file()
    if not is_file:
        return {"name": data, **always}
    if label is None:
        raise BadPlan(f"{data} is a file, so its label column must be named: add --label COLUMN.")
    return _given(file=data, label=label, id=id_column, **always)


def text_column(text: str | None, words: int | None, vocabulary: str | None) -> dict[str, Any]:
    """Read how texts become numbers."""
    counted = int(vocabulary) if vocabulary is not None and vocabulary.isdecimal() else vocabulary
    return _given(text=text, words=words, vocabulary=counted)


def partition(
    party: list[str] | None,
    parties: int | None,
    share: float | None,
    kind: str | None,
    overlap: bool,
    labels_only: bool,
) -> dict[str, Any]:
    """Read who holds what."""
    if not party and overlap:
        raise BadPlan("--overlap lets --party name a column twice; without --party it has no effect.")
    if not party:
        return _given(parties=parties, adversary_share=share, kind=kind, labels_only=labels_only or None)
    if parties is not None or share is not None or kind is not None or labels_only:
        raise BadPlan(
            "--party names the columns of every party, "
            "so --parties, --adversary-share, --partition and --labels-only do not go with it."
        )
    columns: dict[str, list[str]] = {}
    for text in party:
        name, equals, names = text.partition("=")
        if not equals or not name.strip():
            raise BadPlan(f"--party {text}: expected NAME=COLUMN,COLUMN, such as --party shop=deposit,visits.")
        if name.strip() in columns:
            raise BadPlan(f"Party '{name.strip()}' is named twice. Put all its columns into one --party.")
        columns[name.strip()] = [column.strip() for column in names.split(",") if column.strip()]
    return {"kind": "named", "columns": columns, "overlap": overlap}


def colluding(adversary: list[str] | None) -> list[str]:
    """Return the names of all adversaries; each option may hold several."""
    return [name.strip() for names in adversary or () for name in names.split(",")]


def common(
    adversary: list[str] | None,
    encoding: str | None,
    scaling: str | None,
    split: str | None,
    seeds: int | None,
    threads: int | None,
    timeout: float | None,
    device: str | None,
    hide_model: bool,
    properties: list[str] | None = None,
    isolate: bool = False,
) -> dict[str, Any]:
    """Return the keys of a plan that were given."""
    return _given(
        adversary=colluding(adversary) or None,
        encoding=encoding,
        scaling=scaling,
        split=split,
        seeds=seeds,
        threads=threads,
        timeout=timeout,
        device=device,
        model=False if hide_model else None,
        properties=properties or None,
        isolation={"ours": True} if isolate else None,
    )


def with_short_keys(federations: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Let every federation that has a key take a short one; refuse where none has."""
    from dataclasses import fields

    from seepage.federations.catalog import FEDERATIONS

    def has_key(name: str) -> bool:
        return any(field.name == SHORT_KEYS for field in fields(cast("Any", FEDERATIONS[name])))

    if not any(has_key(choice["name"]) for choice in federations):
        names = ", ".join(str(choice["name"]) for choice in federations)
        raise BadPlan(
            f"--insecure-key allows short keys, but {names} has no key: it goes with decision-tree, forest or boosting."
        )
    return [
        {**choice, "settings": {**choice.get("settings", {}), SHORT_KEYS: True}} if has_key(choice["name"]) else choice
        for choice in federations
    ]


def refuse_others(context: Context, effective: set[str], why: str) -> None:
    """Refuse everything that was typed and would have no effect."""
    spelled = {parameter.name: parameter.opts[0] for parameter in context.command.params if parameter.opts}
    for name in context.params:
        given = context.get_parameter_source(name)
        if given is not None and given.name == "COMMANDLINE" and name not in effective:
            raise BadPlan(f"{why}, so {spelled[name]} does not go with it.")


def default_jobs(jobs: int | None) -> int:
    """Return how many workers to use."""
    import os

    return jobs if jobs is not None else max(1, len(os.sched_getaffinity(0)))


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
