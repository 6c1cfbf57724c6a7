"""seepage party and seepage rehearse: the two ends of a rehearsal."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from seepage.cli import options
from seepage.cli.audit import show_audit
from seepage.cli.console import err, expected_errors
from seepage.errors import BadPeer, BadPlan

if TYPE_CHECKING:
    from seepage.links.driving import TlsLink
    from seepage.rehearsal.plan import RehearsalPlan
    from seepage.rehearsal.side import Side

Plan = Annotated[Path, Argument(help="The plan (TOML) that all sides have agreed on.", metavar="PLAN")]
Name = Annotated[str, Option(help="Which party of the plan stands here.", metavar="NAME")]
OwnTable = Annotated[
    Path, Option(help="This party's own table (CSV, Parquet); it stays here.", rich_help_panel=options.DATA)
]
OwnColumns = Annotated[
    str | None,
    Option("--columns", help="Columns that take part, by commas; by default all.", rich_help_panel=options.DATA),
]
Keys = Annotated[Path, Option(help="Folder with the own keys and the certificates of others.")]
Consent = Annotated[
    list[str] | None,
    Option(help="What this side agrees to: 'all', or names as they are shown; by default you are asked."),
]
Folder = Annotated[
    Path, Option("--out", help="Folder for the report, the findings and this side's secret.",
                 rich_help_panel=options.OUTPUT)
]  # fmt: skip
DEFAULT_FOLDER = Path("seepage-rehearsal")


def party(
    plan: Plan,
    name: Name,
    table: OwnTable,
    listen: Annotated[str, Option(help="Where to wait, as HOST:PORT of an interface of this machine.")],
    id_column: options.Id = None,
    columns: OwnColumns = None,
    impute: options.Impute = False,
    keys: Keys = Path("keys"),
    consent: Consent = None,
    silence: Annotated[
        float, Option(help="Give up when the driving side has said nothing for so many seconds, once it came.")
    ] = 120.0,
    folder: Folder = DEFAULT_FOLDER,
) -> None:
    """Take part in a rehearsal as a party without labels: wait for the one that drives.

    No table leaves this host. What is really disclosed is said before anything starts. Stopped on the way, both sides
    repeat their commands: finished turns are kept.

    [bold]Example[/bold]

    seepage party rehearsal.toml --name shop --table shop.csv --id id --listen 0.0.0.0:7443
    """
    with expected_errors():
        from seepage.links.listening import listening
        from seepage.rehearsal.answering import Answering
        from seepage.rehearsal.consent import ends
        from seepage.rehearsal.outcome import write_outcome
        from seepage.rehearsal.plan import read_plan

        _check_seconds(silence=silence)
        agreed = read_plan(plan)
        if name == agreed.driver:
            raise BadPlan(f"'{name}' has the labels and drives: start it with 'seepage rehearse'.")
        with _side(agreed, name, table, id_column, None, columns, consent, folder, impute=impute) as side:
            own, peers = ends(agreed, name, keys, [agreed.driver])
            answering = Answering(side, _version(), _say)
            with listening(answering, own, peers[agreed.driver], listen) as listener:
                _say(f"'{name}' waits for '{agreed.driver}' at {listen.rpartition(':')[0]}:{listener.port}")
                listener.wait(silence, first=math.inf)
            if answering.ended is not None:
                raise BadPeer(answering.ended)
            told = {(one.turn, one.attempt): [one] for one in answering.told or ()}
            write_outcome(side, told, answering.against)
            show_audit(folder, f"{agreed.name}, as '{name}' knows it")


def rehearse(
    plan: Plan,
    name: Name,
    table: OwnTable,
    label: Annotated[str, Option(help="Label column of the table.", rich_help_panel=options.DATA)],
    peer: Annotated[list[str], Option(help="Where another party waits; one for each.", metavar="NAME=HOST:PORT")],
    id_column: options.Id = None,
    columns: OwnColumns = None,
    impute: options.Impute = False,
    keys: Keys = Path("keys"),
    consent: Consent = None,
    deadline: Annotated[float, Option(help="Seconds that another party may take to answer.")] = 300.0,
    patience: Annotated[float, Option(help="Seconds to go on trying while one cannot be reached.")] = 30.0,
    folder: Folder = DEFAULT_FOLDER,
) -> None:
    """Rehearse a federation with partners, each on its own host: train, attack, and let the victims score.

    No table leaves its owner. What is really disclosed is said before anything starts. Stopped on the way, both sides
    repeat their commands: finished turns are kept.

    [bold]Example[/bold]

    seepage rehearse rehearsal.toml --name bank --table bank.csv --label y --id id --peer shop=shop.example:7443
    """
    with expected_errors():
        from contextlib import ExitStack

        from seepage.errors import AuditError
        from seepage.links.driving import TlsLink
        from seepage.rehearsal.consent import ends
        from seepage.rehearsal.driving import Driving
        from seepage.rehearsal.outcome import write_outcome
        from seepage.rehearsal.plan import read_plan

        _check_seconds(deadline=deadline, patience=patience)
        agreed = read_plan(plan)
        if name != agreed.driver:
            raise BadPlan(f"'{agreed.driver}' has the labels and drives; '{name}' takes part with 'seepage party'.")
        places = _places(agreed, peer)
        with (
            _side(agreed, name, table, id_column, label, columns, consent, folder, impute=impute) as side,
            ExitStack() as stack,
        ):
            own, peers = ends(agreed, name, keys, agreed.others)
            links = {}
            for other, place in places.items():
                link = TlsLink(own, peers[other], place, lambda _: None, deadline=deadline, patience=patience)
                stack.callback(link.close)
                links[other] = link
            driving = Driving(side, links, _version(), _say)
            try:
                driving.rehearse()
            except AuditError:
                _part(links)
                raise
            _part(links)
            write_outcome(side, driving.told, driving.against)
            show_audit(folder, f"{agreed.name}, as '{name}' knows it")


def _part(links: "Mapping[str, TlsLink]") -> None:
    """Say goodbye to all who can still be reached; why it ended has been said."""
    from contextlib import suppress

    from seepage.errors import AuditError

    for link in links.values():
        with suppress(AuditError):
            link.goodbye()


def _check_seconds(**given: float) -> None:
    for name, seconds in given.items():
        if not (math.isfinite(seconds) and seconds > 0):
            raise BadPlan(f"--{name} must be a number of seconds above 0, got {seconds:g}.")


@contextmanager
def _side(
    plan: "RehearsalPlan",
    name: str,
    table: Path,
    id_column: str | None,
    label: str | None,
    columns: str | None,
    consent: list[str] | None,
    folder: Path,
    *,
    impute: bool,
) -> Iterator["Side"]:
    """Read the own table, ask for consent, and take the folder."""
    from seepage.audit.engines.engine import limited_threads
    from seepage.rehearsal.folder import open_rehearsal
    from seepage.rehearsal.side import Side
    from seepage.rehearsal.table import read_own_table

    chosen = [one.strip() for one in columns.split(",")] if columns else []
    own = read_own_table(plan, name, table, id_column=id_column, label=label, columns=chosen, impute=impute)
    consents = _consents(plan, consent)
    with (
        open_rehearsal(folder, plan, name, own.table.checksum) as kept,
        limited_threads(plan.threads),
    ):
        yield Side(plan, own, kept, consents)


def _consents(plan: "RehearsalPlan", said: list[str] | None) -> frozenset[str]:
    """Say what is disclosed, and hear what is agreed to."""
    import sys

    from seepage.rehearsal.consent import ALL, consented, disclosures

    for sentence in disclosures(plan):
        err.print(sentence, markup=False)
    if said is not None:
        return consented(plan, said)
    if not sys.stdin.isatty():
        raise BadPlan("Nobody is here to consent. Say what is agreed to: --consent all, or the names above.")
    answer = typer.prompt("Consent to all of it (yes), to none (no), or to names by commas", default="no", err=True)
    if answer.strip().lower() in {"no", "n"}:
        raise BadPlan("Nothing was consented to, so nothing starts.")
    return consented(plan, [ALL if answer.strip().lower() in {"yes", "y"} else answer])


def _places(plan: "RehearsalPlan", said: list[str]) -> dict[str, str]:
    """Read where the others wait."""
    places = {}
    for text in said:
        name, equals, place = text.partition("=")
        if not equals or name not in plan.others:
            raise BadPlan(
                f"'{text}' does not say where another party waits. Write --peer NAME=HOST:PORT for each of "
                f"{', '.join(plan.others)}."
            )
        places[name] = place
    missing = [name for name in plan.others if name not in places]
    if missing:
        raise BadPlan(f"Nobody said where '{missing[0]}' waits (--peer {missing[0]}=HOST:PORT).")
    return {name: places[name] for name in plan.others}


def _version() -> str:
    from importlib.metadata import version

    return version("seepage")


def _say(text: str) -> None:
    err.print(text, markup=False)
