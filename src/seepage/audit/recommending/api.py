"""Recommendations from Python."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from seepage.audit.engines.chosen import EngineChoice
from seepage.audit.engines.processes import Processes
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.folder import PLAN_FILE, AuditFolder, check_folder, open_folder
from seepage.audit.plan.attacks import usable
from seepage.audit.plan.defaults import ABOUT_PROPERTIES
from seepage.audit.plan.plan import Plan, read_plan
from seepage.audit.plan.request import Request, plan_of
from seepage.audit.plan.spelling import keywords_in_errors
from seepage.audit.progress import notebook_progress
from seepage.audit.recommending.measuring import Measuring
from seepage.audit.recommending.recommendation import Recommendation
from seepage.audit.recommending.recommending import Recommending, Say, attacking_only
from seepage.audit.recommending.wanted import Wanted
from seepage.audit.remarks import tell
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.choosing import grounded
from seepage.audit.stages.preflight import with_share_holder
from seepage.audit.stages.work import Record
from seepage.audit.sweep import Progress
from seepage.defenses import DEFENSES
from seepage.errors import BadPlan, UnknownName

WORKPLACE = "recommending"
"""The folder below that of an audit in which a search keeps what it measures."""


def recommend(
    source: str | Path | Plan | None = None,
    limits: Mapping[str, float] | None = None,
    *,
    least_utility: float | None = None,
    least_kept: float | None = None,
    federations: Sequence[str] | None = None,
    defenses: Sequence[str] | None = None,
    depth: str | None = None,
    seeds: int | Sequence[int] | None = None,
    out: str | Path | None = None,
    jobs: int | None = None,
) -> Recommendation:
    """Look for the defense, or pair of defenses, that keeps leaks below limits at the least loss of worth.

    Parameters
    ----------
    source
        The folder of an audit, whose results are used again; a plan or its file; a name from the catalog; None is the
        embedded default.
    limits
        The highest advantage allowed, by asset.
    least_utility, least_kept
        The least that the joint model may be worth, and the least share of the federation's gain that is to be left.
    federations, defenses
        Names to search among; by default the federations of the plan, and every defense.
    depth, seeds
        As for `seepage.audit`, where the source is no folder and no plan.
    out
        A folder to keep results in; a search that was killed continues there. That of an audit is its own.
    jobs
        Worker processes; None works in this process.

    Examples
    --------
    >>> import seepage
    >>> found = seepage.recommend("iris", {"labels": 0.3}, federations=["forest"], defenses=["label-dp"], seeds=1)
    >>> found.put_to_test > 0, found.search_seeds
    (True, (0,))
    """
    with keywords_in_errors(), notebook_progress() as progress:
        return carry_out_search(
            source,
            Wanted(limits=dict(limits or {}), least_utility=least_utility, least_kept=least_kept),
            federations=federations,
            defenses=defenses,
            depth=depth,
            seeds=seeds,
            out=Path(out) if out is not None else None,
            engine=EngineChoice(jobs=jobs),
            progress=progress,
        )[0]


def carry_out_search(
    source: str | Path | Plan | None,
    wanted: Wanted,
    *,
    federations: Sequence[str] | None = None,
    defenses: Sequence[str] | None = None,
    depth: str | None = None,
    seeds: int | Sequence[int] | None = None,
    out: Path | None = None,
    engine: EngineChoice,
    progress: Progress,
    say: Say = lambda text: None,  # noqa: ARG005
) -> tuple[Recommendation, tuple[Finding, ...]]:
    """Make the plan, search, and return what is recommended and the findings that stand behind it."""
    bench, home = Bench(), audit_folder(source)
    known: dict[str, Record] = {}
    if home is not None:
        if depth is not None or seeds is not None:
            raise BadPlan(f"{home} is an audit that says what is tried, so depth and seeds do not go with it.")
        plan, known = read_plan(home / PLAN_FILE), grounded(AuditFolder(home).stored())
    elif isinstance(source, Plan) or str(source).endswith(".toml"):
        plan = plan_of(Request(data=source, depth=depth, seeds=seeds), bench)
    else:
        plan = plan_of(Request(data=source, depth=depth, seeds=seeds, federations=federations, defenses="none"), bench)
        federations = None
    plan = with_share_holder(attacking_only(_among(plan, federations), list(wanted.limits)))
    names = _defenses(defenses, properties="properties" in wanted.limits)
    place = home if home is not None else out
    with ExitStack() as held:
        made = engine.made(plan, bench)
        if isinstance(made, Processes):  # they are asked again and again
            made = held.enter_context(made.kept())
        folder = held.enter_context(open_folder(check_folder(place) / WORKPLACE, plan)) if place is not None else None
        known |= folder.stored() if folder is not None else {}
        search = Recommending(plan, wanted, names, Measuring(plan, bench, made, folder, progress, known), say)
        found = search.run()
    tell([remark for record in known.values() for remark in record.remarks])
    if place is not None:
        found.write(place)
    return found, search.confirmations


def audit_folder(source: str | Path | Plan | None) -> Path | None:
    """Return the folder of an audit where the source is one."""
    if source is None or isinstance(source, Plan):
        return None
    path = Path(source)
    if path.is_dir() and not (path / PLAN_FILE).is_file():
        raise BadPlan(f"{path} holds no audit: there is no {PLAN_FILE} in it. Name a folder that an audit wrote.")
    return path if path.is_dir() else None


def _among(plan: Plan, federations: Sequence[str] | None) -> Plan:
    """Keep the federations that were asked for."""
    if federations is None:
        return plan
    known = [one.name for one in plan.federations]
    for name in federations:
        if name not in known:
            raise UnknownName("federation of this plan", name, known=known)
    kept = tuple(one for one in plan.federations if one.name in federations)
    return plan.model_copy(update={"federations": kept})


def _defenses(names: Sequence[str] | None, *, properties: bool) -> list[str]:
    """Return the names of defenses to search among, or refuse one that nobody knows."""
    for name in names or ():
        DEFENSES.entry(name)
    if names is not None:
        return list(dict.fromkeys(names))
    return [name for name in usable(DEFENSES) if properties or name not in ABOUT_PROPERTIES]
