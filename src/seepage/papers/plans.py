"""What a table has to run: attacks, under defenses at one setting each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from seepage.attacks import ATTACKS
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import Plan, make_plan
from seepage.audit.plan.settings import build, settings_of
from seepage.defenses import DEFENSES
from seepage.papers.readings import Reading


@dataclass(frozen=True)
class Variant:
    """One defense at one setting, or none.

    >>> at("top-k", "top-k", "share", 0.5)
    Variant(label='top-k 0.5', defense='top-k', settings={'share': 0.5})
    """

    label: str
    defense: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def of(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings under this defense."""
        settings = settings_of(build(DEFENSES, self.defense, self.settings)) if self.defense else {}
        return [found for found in findings if found.defense == self.defense and found.defense_settings == settings]


UNDEFENDED: Final = Variant("none")


def at(label: str, defense: str, setting: str, value: float, **others: Any) -> Variant:
    """Return a defense at one value of its setting, which its label ends with."""
    return Variant(f"{label} {value:g}", defense, {setting: value, **others})


def table_plan(
    models: Sequence[tuple[str, Mapping[str, Any]]],
    readings: Sequence[Reading],
    *,
    defenses: Sequence[Variant] = (UNDEFENDED,),
    **rest: Any,
) -> Plan:
    """Return a plan for every attack that is read, on every model under every defense.

    Parameters
    ----------
    models
        Federations, each with its settings.
    readings
        Numbers to read; an attack is run once, however many of its numbers are read.
    rest
        Whatever else a plan says.

    Examples
    --------
    >>> both = [Reading("V", "union"), Reading("blind", "union", metric="blind")]
    >>> plan = table_plan([("forest", {"trees": 3})], both, data={"name": "iris"}, seeds=2)
    >>> [attack.name for attack in plan.attacks], plan.undefended, plan.seeds
    (['union'], True, (0, 1))
    """
    attacks: dict[str, dict[str, Any]] = {}
    for reading in readings:
        built = settings_of(build(ATTACKS, reading.attack, reading.settings))
        attacks.setdefault(f"{reading.attack} {built}", {"name": reading.attack, "settings": dict(reading.settings)})
    return make_plan(
        {
            "federations": [{"name": name, "settings": dict(settings)} for name, settings in models],
            "attacks": list(attacks.values()),
            "defenses": [{"name": one.defense, "settings": dict(one.settings)} for one in defenses if one.defense],
            "undefended": any(one.defense is None for one in defenses),
            **rest,
        }
    )
