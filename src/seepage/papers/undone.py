"""What a table shows of data that are not here: findings without numbers, which say what to bring."""

from itertools import product
from typing import Any

from seepage.attacks import ATTACKS
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import Choice, Plan
from seepage.audit.plan.settings import build, settings_of
from seepage.audit.stages.preparation import parties_of
from seepage.catalogs import Catalog
from seepage.defenses import DEFENSES
from seepage.federations import FEDERATIONS


def undone(plan: Plan, reason: str) -> list[Finding]:
    """Return a failed finding for everything that a plan asks for, all with one reason.

    Tables read them like any other: their lines have no numbers, and the reason for a remark.

    >>> from seepage.papers.plans import table_plan
    >>> from seepage.papers.readings import Reading
    >>> plan = table_plan([("forest", {})], [Reading("V", "union")], data={"name": "obesity"}, seeds=2)
    >>> [(found.federation, found.attack, found.seed, found.status, found.reason) for found in undone(plan, "not here")]
    [('forest', 'union', 0, 'failed', 'not here'), ('forest', 'union', 1, 'failed', 'not here')]
    """
    defenses = ((None,) if plan.undefended else ()) + plan.defenses
    everything = product(plan.federations, defenses, plan.attacks, plan.properties or (None,), plan.seeds)
    return [
        Finding(
            data=plan.data.title,
            encoding=plan.encoding,
            scaling=plan.scaling,
            split=plan.split,
            federation=federation.name,
            model_settings=_settings(FEDERATIONS, federation),
            parties=len(parties_of(plan.partition)),
            adversary=plan.adversary,
            attack=attack.name,
            attack_settings=_settings(ATTACKS, attack),
            defense=defense and defense.name,
            defense_settings=_settings(DEFENSES, defense) if defense else {},
            seed=seed,
            asset=ATTACKS[attack.name].steals,
            property=asked,
            status="failed",
            reason=reason,
        )
        for federation, defense, attack, asked, seed in everything
    ]


def _settings(catalog: Catalog[type[Any]], choice: Choice) -> dict[str, Any]:
    return settings_of(build(catalog, choice.name, choice.settings))
