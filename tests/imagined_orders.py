"""Orders of tables that train nothing, and tables that are laid out in small."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any

from seepage.attacks import ATTACKS
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.settings import build, settings_of
from seepage.defenses import DEFENSES
from seepage.papers.order import Order


@dataclass(frozen=True, kw_only=True)
class Imagined(Order):
    """An order that makes a finding up for everything that a plan asks for, and remembers what it was asked to run."""

    numbers: Callable[..., dict[str, Any]]
    asked: dict = field(default_factory=dict)

    def run(self, plan, folder):
        assert folder not in self.asked, "two plans would share a folder"
        plan = self.asked[folder] = self.adapted(plan)
        attacks = [(one.name, settings_of(build(ATTACKS, one.name, one.settings))) for one in plan.attacks]
        defenses = [(one.name, settings_of(build(DEFENSES, one.name, one.settings))) for one in plan.defenses]
        if plan.undefended:
            defenses.insert(0, (None, {}))
        return [
            Finding(
                data=plan.data.title, encoding=plan.encoding, scaling=plan.scaling, federation="split-network",
                parties=plan.partition.parties, adversary=plan.adversary or ("passive",), attack=attack,
                attack_settings=settings, defense=defense, defense_settings=defended, seed=seed, property=asked,
                **self.numbers(attack, defense, defended),
            )
            for (attack, settings), (defense, defended), asked, seed in product(
                attacks, defenses, plan.properties or (None,), plan.seeds
            )
        ]  # fmt: skip


def changed(table, datasets=None, **layout):
    """The same table on other data, or with something else in its lines."""
    return replace(table, datasets=datasets or table.datasets, shown=datasets or table.shown,
                   rows=partial(table.rows, **layout))  # fmt: skip
