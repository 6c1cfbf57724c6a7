"""Measures arrangements by the dozen, and nothing twice."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from seepage.audit.engines.engine import Engine
from seepage.audit.findings.folder import AuditFolder
from seepage.audit.plan.attacks import built_attack
from seepage.audit.plan.plan import AttackChoice, Plan
from seepage.audit.recommending.measured import Arrangement, Measured
from seepage.audit.stages.assignment import Assignment
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.fingerprints import Sources
from seepage.audit.stages.keys import AttemptKeys, JobKeys, ReleaseKeys
from seepage.audit.stages.work import Record
from seepage.audit.sweep import Progress, Sweep, assigned, do_work, plan_sweep


@dataclass(frozen=True)
class Request:
    """An arrangement to be measured under some seeds: how much leaks of some assets, and what the model is worth."""

    arrangement: Arrangement
    seeds: tuple[int, ...]
    assets: frozenset[str]

    @property
    def key(self) -> tuple[str, tuple[int, ...], frozenset[str]]:
        """What tells it from others."""
        return self.arrangement.key, self.seeds, self.assets


@dataclass(frozen=True, eq=False)
class Measuring:
    """Plays arrangements through and attacks them, all that were asked for at once on the same engine.

    Parameters
    ----------
    plan
        What all of them have in common: data, parties, attacks.
    engine
        What carries the work out.
    folder
        Where results are kept as they come.
    results
        What is known already, by its key: results of an audit count like those that were measured here.
    """

    plan: Plan
    bench: Bench
    engine: Engine
    folder: AuditFolder | None
    progress: Progress
    results: dict[str, Record] = field(default_factory=dict)
    sources: Sources = field(default_factory=Sources)
    answered: dict[tuple[str, tuple[int, ...], frozenset[str]], Measured] = field(default_factory=dict)

    def __call__(self, requests: Sequence[Request]) -> list[Measured]:
        """Answer requests, in their order."""
        asked = {one.key: one for one in requests}
        sweeps = {name: self._sweep(one) for name, one in asked.items() if name not in self.answered}
        work: dict[str, Assignment] = {}
        for sweep in sweeps.values():
            for place, keys in enumerate(sweep.keys):
                named = without_evidence(keys)
                wanted = frozenset(named.all) - self.results.keys()
                if wanted:
                    work.setdefault(named.job, assigned(sweep, place, wanted, named))
        if work:
            table = self.bench.table(self.plan.data)
            do_work(list(work.values()), self.results, self.engine, self.folder, self.progress, table)
        for name, sweep in sweeps.items():
            one = asked[name]
            self.answered[name] = Measured(one.arrangement, one.seeds, tuple(sweep.findings(self.results)), one.assets)
        return [self.answered[one.key] for one in requests]

    def _sweep(self, one: Request) -> Sweep:
        defense = one.arrangement.defense
        plan = self.plan.model_copy(
            update={
                "federations": (one.arrangement.federation,),
                "defenses": (defense,) if defense is not None else (),
                "seeds": one.seeds,
                "attacks": attacks_on(self.plan, one.assets),
                "properties": self.plan.properties if "properties" in one.assets else (),
                "undefended": True,
            }
        )
        return plan_sweep(plan, self.bench, sources=self.sources)


def attacks_on(plan: Plan, assets: Collection[str]) -> tuple[AttackChoice, ...]:
    """Return the attacks of a plan that go for some assets."""
    return tuple(one for one in plan.attacks if built_attack(one.name, one.settings).steals in assets)


def without_evidence(keys: JobKeys) -> JobKeys:
    """Leave out what speaks for each attack: here the strongest counts, whatever its adversary would choose."""
    return JobKeys(
        tuple(
            ReleaseKeys(release.worth, tuple(AttemptKeys(one.finding, None) for one in release.attempts))
            for release in keys.releases
        )
    )
