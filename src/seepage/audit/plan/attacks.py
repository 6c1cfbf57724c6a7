"""From the name of an attack to the attack, without importing code from outside."""

import warnings
from collections.abc import Mapping
from typing import Any, cast

from seepage.attacks import ATTACKS, Attack
from seepage.audit.plan.settings import build
from seepage.catalogs import Catalog, is_lent
from seepage.errors import BadPlugIn, Remark


def built_attack(name: str, settings: Mapping[str, Any] | None = None) -> Attack[Any]:
    """Build an attack that runs as it must: ours and the caller's here, one from outside in a process of its own.

    >>> built_attack("gradient-sign", {"combine": "sum"}).combine
    'sum'
    """
    entry = ATTACKS.entry(name)
    if not entry.outside or is_lent(name):
        return build(ATTACKS, name, settings or {})
    from seepage.audit.isolation.outside import outside_attack

    return cast("Attack[Any]", outside_attack(entry.place, settings or {}))


def usable(catalog: Catalog[Any]) -> list[str]:
    """Return the names in a catalog, without those from outside that cannot be used: of these it is said why."""
    names = []
    for name, entry in catalog.entries.items():
        try:
            if entry.outside:
                _ = built_attack(name) if catalog is ATTACKS else catalog[name]
        except BadPlugIn as error:
            warnings.warn(Remark(f"{name} is left out. {error}"), stacklevel=2)
        else:
            names.append(name)
    return names
