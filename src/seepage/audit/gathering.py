"""Slices of an audit, and what all of them come to."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from seepage.audit.engines.engine import Engine
from seepage.audit.findings.findings import Findings
from seepage.audit.findings.folder import PLAN_FILE, AuditFolder, check_folder, open_folder, open_slice, slices_of
from seepage.audit.findings.unfinished import Unfinished
from seepage.audit.plan.comparing import differences
from seepage.audit.plan.plan import Plan, read_plan
from seepage.audit.plan.slices import Slice
from seepage.audit.remarks import tell
from seepage.audit.stages.work import Record
from seepage.audit.sweep import Progress, Sweep, carry_on, plan_sweep
from seepage.errors import BadOutput, Suspicion


@dataclass(frozen=True)
class Gathered:
    """What the slices of an audit found so far, and which trainings are missing.

    Parameters
    ----------
    findings
        What is there, in the order of the plan.
    planned
        How many trainings there are in all.
    missing
        The places of those that are not finished.
    slices
        Into how many slices they are dealt; None where it is not known.
    failed
        Why trainings or attacks of the slice that ran here failed.
    """

    findings: Findings
    planned: int
    missing: tuple[int, ...] = ()
    slices: int | None = None
    failed: tuple[str, ...] = field(default=())

    @property
    def absent(self) -> str:
        """What is missing, in words.

        >>> Gathered(Findings(()), planned=12, missing=(1, 5, 6), slices=4).absent
        '3 of 12 trainings, of slices 2/4 and 3/4'
        >>> Gathered(Findings(()), planned=12, missing=(1,)).absent
        '1 of 12 trainings'
        """
        said = f"{len(self.missing)} of {self.planned} trainings"
        if self.slices is None:
            return said
        numbers = sorted({place % self.slices for place in self.missing})
        *most, last = [str(Slice(number + 1, self.slices)) for number in numbers]
        named = f"slices {', '.join(most)} and {last}" if most else f"slice {last}"
        return f"{said}, of {named}"


def run_slice(sweep: Sweep, part: Slice, *, out: Path, engine: Engine, progress: Progress) -> Gathered:
    """Do one share of an audit in a folder that all slices write to; whoever is last writes the findings."""
    share = [place for place in range(len(sweep.jobs)) if part.takes(place)]
    own: dict[str, Record] = {}
    tell(sweep.suspicions, Suspicion)
    with open_slice(out, sweep.plan, part) as folder:
        carry_on(sweep, share, own, engine, folder, progress)
        records = folder.stored()
        gathered = _gathered(sweep, records, part.of)
        if not gathered.missing:
            folder.finish(gathered.findings, gathered.findings.notes)
    found = [record.finding for record in own.values() if record.finding is not None]
    reasons = [str(finding.reason) for finding in found if finding.status == "failed"]
    return Gathered(gathered.findings, gathered.planned, gathered.missing, part.of, tuple(dict.fromkeys(reasons)))


def merge(folders: Sequence[Path], out: Path | None = None) -> Gathered:
    """Bring together what slices of one audit left, in one folder or in several, and write the findings.

    What is missing leaves them marked as unfinished. Nothing is trained.

    Parameters
    ----------
    folders
        Folders that slices of the same audit wrote to.
    out
        Where the findings go; by default into the first folder.
    """
    target = check_folder(out if out is not None else folders[0])
    plans = [_plan_in(folder) for folder in folders]
    for folder, plan in zip(folders[1:], plans[1:], strict=True):
        if apart := differences(plans[0], plan):
            raise BadOutput(f"{folder} holds an audit of another plan than {folders[0]}: {apart[0]}")
    if target not in folders and (target / PLAN_FILE).exists():
        raise BadOutput(f"{target} holds an audit already. Name it among the folders, or choose another --out.")
    sweep, slices = plan_sweep(plans[0]), next(filter(None, map(slices_of, folders)), None)
    with open_folder(target, sweep.plan, slices=slices) as taken:
        records = {key: record for one in folders for key, record in AuditFolder(one).stored().items()}
        there = taken.stored()
        for named in sweep.keys:
            for key in named.all:
                if key in records and key not in there:
                    taken.keep(named.job, records[key])
        gathered = _gathered(sweep, records, slices)
        if gathered.missing:
            finished = gathered.planned - len(gathered.missing)
            taken.stop(gathered.findings, Unfinished(finished, gathered.planned), gathered.findings.notes)
        else:
            taken.finish(gathered.findings, gathered.findings.notes)
    return gathered


def _gathered(sweep: Sweep, records: dict[str, Record], slices: int | None) -> Gathered:
    missing = tuple(sweep.missing(records))
    ours = {key: record for key, record in records.items() if key in sweep.wanted}
    findings = Findings(tuple(sweep.findings(records)), sweep.plan, sweep.noted(ours))
    return Gathered(findings, len(sweep.jobs), missing, slices)


def _plan_in(folder: Path) -> Plan:
    if not (folder / PLAN_FILE).is_file():
        raise BadOutput(f"{folder} holds no audit: there is no {PLAN_FILE} in it. Name folders that slices wrote to.")
    return read_plan(folder / PLAN_FILE)
