"""seepage plan."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Option

from seepage.cli import options
from seepage.cli.console import expected_errors, out
from seepage.errors import BadOutput

if TYPE_CHECKING:
    from seepage.audit.outline import Outline

WIDTH: Final = 80
MARGIN: Final = 13
"""Where what is said of a thing begins."""


def plan(
    source: Annotated[
        str | None,
        Argument(
            help="A table (CSV, Parquet), a name from the catalog or a plan (TOML); none is the embedded default."
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
    threads: options.Threads = None,
    timeout: options.Timeout = None,
    device: options.Device = None,
    isolate: options.Isolate = False,
    file: Annotated[
        Path | None,
        Option(
            "--out",
            help="File for the plan; plan.toml by default. A plan that is read is written nowhere unless this says so.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    force: Annotated[
        bool, Option("--force", help="Write over a file that is there.", rich_help_panel=options.OUTPUT)
    ] = False,
) -> None:
    """Say what an audit would do, how long it takes and what adversaries are taken to know; do none of it.

    Writes plan.toml, to be edited and run: seepage audit plan.toml

    [bold]Examples[/bold]

    seepage plan people.csv --label y
    seepage plan people.csv --label y --quick --out quick.toml
    seepage plan people.csv --label y --parties 3 --thorough
    """
    with expected_errors():
        from seepage.audit.outline import Outline
        from seepage.audit.plan.plan import plan_text
        from seepage.audit.plan.request import plan_of
        from seepage.audit.stages.bench import Bench
        from seepage.audit.sweep import plan_sweep
        from seepage.files import write_private

        if file is None and not (source or "").endswith(".toml"):
            file = Path("plan.toml")
        if file is not None:
            _check(file, force=force)
        depth = options.depth_of(quick=quick, standard=standard, thorough=thorough)
        request = options.asked_for(
            data=source, depth=depth, federation=federation, attacks=attack, defenses=defense, label=label,
            id_column=id_column, impute=impute, keep_missing=keep_missing, rows=rows, text=text, words=words,
            vocabulary=vocabulary, party=party, parties=parties, adversary_share=adversary_share,
            partition=partition, labels_only=labels_only, overlap=overlap, adversary=adversary, model=model,
            insecure_key=insecure_key, encoding=encoding, scaling=scaling, split=split, seeds=seeds, threads=threads,
            timeout=timeout, device=device, isolate=isolate, hide_model=hide_model, hide_predictions=hide_predictions,
            properties=options.asked_properties(properties, none=no_properties),
        )  # fmt: skip
        bench = Bench()
        sweep = plan_sweep(plan_of(request, bench), bench)
        for line in described(Outline(sweep, max(1, options.default_jobs(jobs)))):
            out.print(line, markup=False, highlight=False, soft_wrap=True)
        if file is not None:
            write_private(file, plan_text(sweep.plan))
            out.print(f"\nPlan: {file}. Edit it, then: seepage audit {file}", markup=False, soft_wrap=True)


def _check(file: Path, *, force: bool) -> None:
    """Say before any work whether the plan can be written there."""
    from seepage.files import check_file

    if not file.parent.is_dir():
        raise BadOutput(
            f"{file.parent} is no folder, so {file.name} cannot be written there. Make it, or choose --out."
        )
    check_file(file)
    if file.exists() and not force:
        raise BadOutput(f"{file} is there already. Choose another --out, or write over it with --force.")


def described(outline: "Outline") -> Iterator[str]:
    """Yield what would be done, line by line, in 80 columns."""
    from seepage.audit.outline import labelled
    from seepage.audit.plan.depths import SCOPES
    from seepage.scores.digits import counted

    sweep, planned = outline.sweep, outline.sweep.plan
    table, (active, *passive) = sweep.bench.table(planned.data), outline.parties
    drawn = "" if table.drawn_from is None else f" of {table.drawn_from:,}"
    width, classes = counted(len(table.columns), "column"), counted(len(table.classes), "class", "classes")
    name = planned.data.name or Path(planned.data.file or "").name
    yield from _told("Table", f"{name}: {table.rows:,} rows{drawn}, {width}, {classes}")
    if planned.depth is not None:
        yield from _told("Depth", f"{planned.depth}: {SCOPES[planned.depth].says}")
    yield from _told("Parties", f"{active} (holds the labels), {', '.join(passive)}")
    curious = [f"{' with '.join(who)} (after {' and '.join(assets)})" for who, assets in outline.adversaries.items()]
    yield from _told("Adversaries", ", ".join(curious))
    yield from _told("Federations", ", ".join(labelled(planned.federations)))
    yield from _told("Attacks", "")
    for asset, names in outline.attacks.items():
        nothing = "no column with few values" if asset == "properties" and not planned.properties else "none"
        yield from _told(f"  {asset}", ", ".join(names) or nothing)
    if planned.properties:
        yield from _told("Properties", ", ".join(planned.properties))
    undefended = ["none"] if planned.undefended else []
    yield from _told("Defenses", ", ".join([*undefended, *labelled(planned.defenses)]))
    yield from _told("Seeds", ", ".join(map(str, planned.seeds[:20])) + (", …" if len(planned.seeds) > 20 else ""))
    work = f"{len(sweep.jobs):,} trainings, {len(outline.tried):,} attempts"
    yield from _told("Time", f"{_lasting(outline.seconds)} with {counted(outline.workers, 'worker')}: {work}")
    yield ""
    yield "Beside their own columns and what is sent to them, adversaries are taken to know"
    for one in outline.assumed:
        yield f"- {one.what}:"
        yield from _wrapped(", ".join(one.attacks), "    ", "    ")


def _told(what: str, said: str) -> list[str]:
    return _wrapped(said, f"{what:<{MARGIN}}", " " * MARGIN) or [what]


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    """Break a text into lines, and no name."""
    return wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def _lasting(seconds: float) -> str:
    """Say how long something takes.

    >>> [_lasting(seconds) for seconds in (20, 100, 1500, 9000)]
    ['under a minute', 'about 2 minutes', 'about 25 minutes', 'about 2.5 hours']
    """
    from seepage.audit.forecast import Standing

    return Standing(0, 1, seconds_left=seconds).left.removesuffix(" left")
