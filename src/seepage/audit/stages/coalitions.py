"""Who is curious where there are more than two parties: each by itself, and all but one together."""

from collections.abc import Sequence
from typing import Any

from seepage.attacks import Attack
from seepage.audit.plan.plan import Plan
from seepage.data import Property
from seepage.partition import Partition

Coalition = tuple[str, ...]
"""Parties that put together what they hold; one name is one curious party, none is the default of each attack."""


def default_coalitions(parties: Sequence[str], *, colluding: bool = True) -> tuple[Coalition, ...]:
    """Return every party by itself, and all but one together; nothing for two parties, whose adversaries are plain.

    >>> default_coalitions(["bank", "shop"])
    ()
    >>> default_coalitions(["bank", "shop", "lab"])
    (('bank',), ('shop',), ('lab',), ('shop', 'lab'), ('bank', 'lab'), ('bank', 'shop'))
    """
    if len(parties) < 3:
        return ()
    together = [tuple(one for one in parties if one != victim) for victim in parties] if colluding else []
    return (*((one,) for one in parties), *together)


def curious(attack: Attack[Any], plan: Plan, partition: Partition, asked: str | None) -> tuple[Coalition, ...]:
    """Return who tries an attack under one way of dealing columns; ``()`` among them is the default of that attack.

    Labels are for those who do not hold them. What is sent to the active party is read by coalitions that it is part
    of; an attack on features that needs a party without labels is for the others. A property is asked about by those
    who do not hold its attribute, with the active party among them where that can be. Where no coalition fits
    an attack, the first one is said not to.
    """
    holders = _holders(partition, asked)
    if not plan.adversaries:
        knowing = holders & set(plan.adversary) or len(holders) == len(partition.columns)
        return () if knowing and not plan.properties_kept else ((),)
    active = partition.active
    if attack.steals == "properties":
        strangers = [one for one in plan.adversaries if not holders & set(one)]
        return tuple([one for one in strangers if active in one] or strangers)
    with_labels = attack.steals == "features" and not attack.needs.passive
    fitting = tuple(one for one in plan.adversaries if (active in one) == with_labels)
    return fitting or plan.adversaries[:1]


def asked_about(plan: Plan) -> dict[str, tuple[str, ...]] | None:
    """Return whose columns may be asked about, where that is known: what somebody holds whom not everybody is told.

    Named adversaries know their own columns. Where columns are dealt anew under each seed, anything may be.
    """
    held = plan.partition.columns
    if not held:
        return None
    shared = [name for names in held.values() for name in names]
    victims = [party for party in held if party not in plan.adversary]
    known = {name for party in plan.adversary for name in held.get(party, ())}
    return {
        party: tuple(name for name in held[party] if name not in known and shared.count(name) < len(held))
        for party in victims
    }


def _holders(partition: Partition, asked: str | None) -> set[str]:
    if asked is None:
        return set()
    column = Property.parse(asked).column
    return {party for party, columns in partition.columns.items() if column in columns}
