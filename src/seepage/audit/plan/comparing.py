"""What two plans have in common, and whether one can extend the other."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from seepage.audit.plan.plan import AttackChoice, Choice, DataPlan, PartitionPlan, Plan
from seepage.errors import BadPlan

LISTED: Final = ("federations", "attacks", "defenses", "adversaries", "properties", "seeds")
"""Keys of a plan that list what is tried: more can be added to what there is."""

PASSING: Final = frozenset({"format", "depth", "threads", "timeout"})
"""Keys that say how the work is done, or why it was chosen, not what is asked."""


def differences(old: Plan, new: Plan) -> list[str]:
    """Say in what two plans differ, one sentence for each key; none where they ask the same.

    The order of what is listed does not count, nor do threads and timeouts. A
    relative path is the same as the absolute one that a stored plan has.

    >>> from seepage.audit.plan.plan import make_plan
    >>> asked = {"data": {"name": "iris"}, "federations": [{"name": "forest"}], "attacks": [{"name": "id2graph"}]}
    >>> old = make_plan({**asked, "seeds": [0, 1]})
    >>> differences(old, make_plan({**asked, "seeds": [1, 0], "threads": 2}))
    []
    >>> differences(old, make_plan({**asked, "data": {"name": "wine"}, "seeds": 3}))
    ["data.name is 'wine' instead of 'iris'.", 'seeds: 2 is new.']
    """
    return [*_fixed_differences(old, new), *_listed_differences(old, new)]


def extended(old: Plan, new: Plan) -> Plan:
    """Return the plan that asks for what either asks for, or say why there is none.

    Federations, attacks, defenses, adversaries, properties and seeds add up; everything else must agree.
    An attack that either plan tries under every defense is tried under every defense.
    """
    apart = _fixed_differences(old, new)
    if apart:
        raise BadPlan(f"--add cannot put these two audits together: {apart[0]} Choose another --out.")
    added: dict[str, Any] = {
        key: (*getattr(old, key), *(one for one in getattr(new, key) if one not in getattr(old, key)))
        for key in LISTED
        if key != "attacks"
    }
    attacks: dict[str, AttackChoice] = {}
    for one in (*old.attacks, *new.attacks):
        there = attacks.setdefault(_spelled(one), one)
        attacks[_spelled(one)] = there if there.defended else one
    return new.model_copy(
        update={
            **added,
            "attacks": tuple(attacks.values()),
            "undefended": old.undefended or new.undefended,
            "depth": new.depth if new.depth == old.depth else None,
            "properties_kept": new.properties_kept if new.properties else old.properties_kept,
        }
    )


def _fixed_differences(old: Plan, new: Plan) -> list[str]:
    """Say in what two plans differ that no addition can bring together."""
    silent = {"properties_kept"} if not (old.properties and new.properties) else set[str]()
    keys = [key for key in Plan.model_fields if key not in {*LISTED, *PASSING, "undefended", *silent}]
    found = []
    for key in keys:
        before, now = getattr(old, key), getattr(new, key)
        inner = list(type(now).model_fields) if isinstance(now, DataPlan | PartitionPlan) else []
        pairs = [(f"{key}.{part}", getattr(before, part), getattr(now, part)) for part in inner] or [(key, before, now)]
        found += [
            f"{name} is {_shown(this)} instead of {_shown(that)}."
            for name, that, this in pairs
            if _placed(name, that) != _placed(name, this)
        ]
    return found


def _listed_differences(old: Plan, new: Plan) -> list[str]:
    """Say what one plan lists and the other does not."""
    found = []
    for key in LISTED:
        before = [_spelled(one) for one in getattr(old, key)]
        now = [_spelled(one) for one in getattr(new, key)]
        told = [
            *_told([one for one in now if one not in before], "new"),
            *_told([one for one in before if one not in now], "left out"),
        ]
        found += [f"{key}: {', '.join(told)}."] if told else []
    if old.undefended != new.undefended:
        found.append(f"undefended is {_shown(new.undefended)} instead of {_shown(old.undefended)}.")
    return found


def _told(names: Sequence[str], what: str) -> list[str]:
    most = 3
    if not names:
        return []
    shown = f"{', '.join(names[:most])}{f' and {len(names) - most} more' if len(names) > most else ''}"
    return [f"{shown} {'are' if len(names) > 1 else 'is'} {what}"]


def _spelled(one: object) -> str:
    if isinstance(one, tuple):
        return "+".join(one)
    if not isinstance(one, Choice):
        return str(one)
    settings = ",".join(f"{key}={value}" for key, value in sorted(one.settings.items()))
    return f"{one.name}:{settings}" if settings else one.name


def _placed(name: str, value: object) -> object:
    """Make paths absolute, as a stored plan has them."""
    is_path = isinstance(value, str) and name in {"data.file", "data.vocabulary"}
    return str(Path(str(value)).resolve()) if is_path else value


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "not said"
    return "not said" if value is None else repr(value)
