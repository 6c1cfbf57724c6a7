"""Which engine carries an audit out."""

import os
from dataclasses import dataclass
from typing import Final

from seepage.audit.engines.engine import Engine, Here
from seepage.audit.engines.processes import Processes
from seepage.audit.plan.plan import Plan
from seepage.audit.stages.bench import Bench
from seepage.errors import BadPlan, UnknownName

ENGINES: Final = ("here", "processes", "ray")


@dataclass(frozen=True)
class EngineChoice:
    """What is to carry the work out, as somebody asks for it.

    Parameters
    ----------
    name
        One of `ENGINES`; None is worker processes where there are to be some, and this process elsewhere.
    jobs
        How many workers; None is one for each core, and on a Ray cluster as many as it has processors for.
    address
        Of a Ray cluster; None starts one on this machine.
    """

    name: str | None = None
    jobs: int | None = None
    address: str | None = None

    def __post_init__(self) -> None:
        if self.name is not None and self.name not in ENGINES:
            raise UnknownName("engine", self.name, known=ENGINES)
        if self.name == "here" and self.jobs:
            raise BadPlan(f"--engine here works in this process, so --jobs {self.jobs} does not go with it.")
        if self.name in {"processes", "ray"} and self.jobs == 0:
            raise BadPlan(f"--engine {self.name} needs workers: --jobs 1 or more.")
        if self.address is not None and self.name != "ray":
            raise BadPlan("--address is that of a Ray cluster: it goes with --engine ray.")

    @property
    def elsewhere(self) -> bool:
        """Whether the work is done in other processes than this one.

        >>> [EngineChoice().elsewhere, EngineChoice(jobs=2).elsewhere, EngineChoice("ray").elsewhere]
        [False, True, True]
        """
        return self.name in {"processes", "ray"} or (self.name is None and bool(self.jobs))

    def made(self, plan: Plan, bench: Bench) -> Engine:
        """Return the engine for one plan, whose table is at hand."""
        if not self.elsewhere:
            if plan.timeout is not None:
                raise BadPlan("A timeout can only be kept by worker processes: use one job or more (--jobs 1).")
            return Here(plan.threads, bench)
        if self.name != "ray":
            cores = max(1, len(os.sched_getaffinity(0)))
            return Processes(cores if self.jobs is None else self.jobs, plan.timeout, plan.threads)
        from seepage.audit.engines.ray import Ray
        from seepage.audit.engines.ray_cluster import check_reach

        check_reach(self.address)
        graphics = 0 if plan.device == "cpu" else 1
        return Ray(bench.table(plan.data), self.address, self.jobs, plan.timeout, plan.threads, graphics)
