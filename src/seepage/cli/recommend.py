"""seepage recommend."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit, Option

from seepage.cli import options
from seepage.cli.console import err, expected_errors, out, progress_bar
from seepage.cli.harmless import harmless

if TYPE_CHECKING:
    from seepage.audit.findings.finding import Finding


def recommend(
    source: Annotated[
        str | None,
        Argument(
            help="Folder that an audit wrote, a plan (TOML) or a name from the catalog; none is the embedded default."
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        Option("--max", help="Highest advantage allowed, as labels=0.2,features=0.3.", metavar="ASSET=LIMIT"),
    ] = None,
    min_utility: Annotated[
        float | None, Option(help="Least that the joint model has to be worth (AUC or accuracy).", metavar="NUMBER")
    ] = None,
    min_gain: Annotated[
        float | None, Option(help="Least share of the federation's gain that has to be left.", metavar="SHARE")
    ] = None,
    federation: Annotated[
        list[str] | None, Option(help="Search on this federation only; may be given several times.", metavar="NAME")
    ] = None,
    defense: Annotated[
        list[str] | None, Option(help="Search among these defenses only; by default among all.", metavar="NAME")
    ] = None,
    quick: options.Quick = False,
    standard: options.Standard = False,
    thorough: options.Thorough = False,
    seeds: options.Seeds = None,
    jobs: options.Jobs = None,
    folder: Annotated[
        Path | None,
        Option("--out", help="Folder for what is found; that of an audit is its own.", rich_help_panel=options.OUTPUT),
    ] = None,
) -> None:
    """Search for the defense, or pair of defenses, that keeps leaks below limits at the least cost.

    Every defense that can act is tried from weak to strong, alone and then in pairs, against all attacks of the
    plan. What is recommended was confirmed on seeds that the search has not used. Exit status 1 where nothing meets
    the limits.

    [bold]Examples[/bold]

    seepage recommend seepage-audit --max labels=0.2
    seepage recommend plan.toml --max labels=0.2,features=0.3 --min-gain 0.8
    """
    with expected_errors():
        from seepage.audit.engines.chosen import EngineChoice
        from seepage.audit.findings.gate import Limits
        from seepage.audit.recommending.api import audit_folder, carry_out_search
        from seepage.audit.recommending.wanted import Wanted
        from seepage.report.recommended import sentences

        wanted = Wanted(
            limits=Limits.parse(limit or ()).highest,
            least_utility=min_utility,
            least_kept=min_gain,
        )
        home = audit_folder(source)
        if home is not None and folder is not None:
            from seepage.errors import BadPlan

            raise BadPlan(f"{home} is the folder of an audit, which keeps what is found: leave out --out.")
        place = home or folder or Path("seepage-recommendation")
        with progress_bar() as progress:
            found, findings = carry_out_search(
                source,
                wanted,
                federations=federation,
                defenses=defense,
                depth=options.depth_of(quick=quick, standard=standard, thorough=thorough),
                seeds=seeds,
                out=place,
                engine=EngineChoice(jobs=options.default_jobs(jobs)),
                progress=progress,
                say=_say,
            )
        for sentence in sentences(found):
            out.print(harmless(sentence), markup=False, highlight=False)
        out.print(f"Report: {_drawn(place, home, findings)}", markup=False, soft_wrap=True)
    if found.best is None:
        raise Exit(code=1)


def _say(text: str) -> None:
    """Say on a terminal what is being tried."""
    if err.is_terminal:
        err.print(f"Looking at {text}", markup=False, highlight=False)


def _drawn(place: Path, home: Path | None, findings: "tuple[Finding, ...]") -> Path:
    """Draw the page: of the audit, or of what was measured on fresh seeds."""
    from seepage.audit.findings.finding import write_findings
    from seepage.report import write_report

    if home is None:
        write_findings(place, findings)
    return write_report(place)
