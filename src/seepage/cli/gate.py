"""seepage gate."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Exit, Option

from seepage.cli import options
from seepage.cli.console import err, expected_errors, out


def gate(
    run: Annotated[Path, Argument(help="Folder that an audit wrote.")],
    limit: Annotated[
        list[str] | None, Option("--max", help="Highest advantage allowed, as labels=0.2.", metavar="ASSET=LIMIT")
    ] = None,
    upper: Annotated[
        bool, Option("--upper", help="Hold the upper end of the interval over seeds against the limit as well.")
    ] = False,
    min_gain: Annotated[
        float | None,
        Option(help="Least share of the federation's gain that --defense has to keep.", metavar="SHARE"),
    ] = None,
    defense: Annotated[
        str | None,
        Option(help="Look only at findings under this defense; 'none' means without one. By default all count."),
    ] = None,
    federation: Annotated[str | None, Option(help="Look only at findings on this federation.")] = None,
    adversary: Annotated[
        list[str] | None,
        Option(help="Look only at findings of this adversary; several names collude.", metavar="NAME,NAME"),
    ] = None,
    strict: Annotated[
        bool, Option("--strict", help="Fail on one seed, on a sample, and where no attack read what crossed.")
    ] = False,
    junit: Annotated[Path | None, Option(help="Write what was checked as JUnit XML.", metavar="FILE")] = None,
    sarif: Annotated[Path | None, Option(help="Write what was found wrong as SARIF 2.1.0.", metavar="FILE")] = None,
) -> None:
    """Fail when a leak found in RUN is above its limit.

    Exit status 1 when a leak is above its limit, or when that is not known: an asset with a limit has no finding,
    or the audit was stopped. One seed, a sample of the rows, and a federation on which no attack read what crossed
    are warned about; with --strict they fail.
    """
    from seepage.audit.findings.gate import Check, Complaint, Demand, Limits, checks
    from seepage.audit.findings.survey import Survey
    from seepage.cli.gate_files import write_junit, write_sarif
    from seepage.files import check_file

    with expected_errors():
        demand = Demand(
            limits=Limits.parse(limit or (), needed=min_gain is None), upper=upper, least_kept=min_gain,
            defense=defense, federation=federation, adversary=tuple(options.colluding(adversary)) or None,
        )  # fmt: skip
        for option, file in (("--junit", junit), ("--sarif", sarif)):
            if file is not None:
                check_file(file, option=option)
        survey = Survey.read(run)
        found = checks(survey, demand)
        if survey.unfinished is not None:
            stopped = (
                f"The audit was stopped after {survey.unfinished}, so no limit is known to hold. Run it again to go on."
            )
            found.append(Check("certainty", "the audit is finished", (Complaint("unknown", stopped),)))
        if junit is not None:
            write_junit(junit, found, strict=strict)
        if sarif is not None:
            write_sarif(sarif, found, survey.findings, run, strict=strict)
    complaints = [one for check in found for one in check.complaints]
    failed = [one for one in complaints if strict or one.rule != "doubt"]
    for one in complaints:
        err.print(one.sentence if one in failed else f"Warning: {one.sentence}", markup=False)
    if failed:
        raise Exit(code=1)
    told = "No leak is above its limit" if demand.limits.highest else "Enough of the gain is kept"
    sure = Survey(demand.of(survey.findings)).certainty
    marks = f" ({sure})" if sure.marks else ""
    out.print(f"{told}{marks}. An audit finds leaks; it does not prove their absence.", markup=False)
