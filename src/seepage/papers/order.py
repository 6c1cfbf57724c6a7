"""What somebody who reproduces a table asked for."""

from dataclasses import dataclass
from pathlib import Path

from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import Plan
from seepage.audit.sweep import Progress, plan_sweep, run_sweep
from seepage.errors import DataUnavailable
from seepage.papers.stored import Stored, keep
from seepage.papers.undone import undone


def _silent(*_: object) -> None:
    return


@dataclass(frozen=True, kw_only=True)
class Order:
    """Which part of a table to run, and where to keep the results.

    Parameters
    ----------
    only
        One data set; by default all that a table shows without being asked.
    seeds
        How many seeds; by default as many as the table has for each data set.
    out
        Where results are kept; None keeps nothing.
    keep
        A file that what was found is written to as well, compressed.
    stored
        What was found before: nothing is run, and lines are drawn from it.
    """

    only: str | None = None
    seeds: int | None = None
    out: Path | None = None
    keep: Path | None = None
    stored: Stored | None = None
    jobs: int = 0
    device: str = "cpu"
    progress: Progress = _silent

    def run(self, plan: Plan, folder: str) -> list[Finding]:
        """Run one plan as it was asked for; what was finished in its folder is not done again.

        Where the data are not here, the findings say which file is expected, and have no numbers.
        """
        if self.stored is not None:
            found = self.stored.found(plan, folder)
            return undone(plan, "not run") if found is None else found
        out = self.out / folder if self.out is not None else None
        plan = self.adapted(plan)
        try:
            sweep = plan_sweep(plan, bare=True)
        except DataUnavailable as error:
            return undone(plan, error.brief)
        found = run_sweep(sweep, out=out, jobs=self.jobs, progress=self.progress)
        if self.keep is not None:
            keep(self.keep, plan, folder, found)
        return found

    def adapted(self, plan: Plan) -> Plan:
        """Return the plan of a table with the seeds and on the device that were asked for."""
        seeds = plan.seeds if self.seeds is None else tuple(range(self.seeds))
        return plan.model_copy(update={"seeds": seeds, "device": self.device})

    def wants(self, data: str, *, by_default: bool = True) -> bool:
        """Say whether a data set is to be run, or drawn: of what was stored, whatever there is.

        >>> Order(only="iris").wants("iris", by_default=False), Order().wants("iris", by_default=False)
        (True, False)
        """
        if self.only is not None:
            return data == self.only
        return by_default if self.stored is None else data in self.stored.data
