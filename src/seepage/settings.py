"""Settings that are composed of parts, and are told by flat keys.

Two federations that train networks share how long and how they train. In Python that is one value, a part
of both; whoever writes a setting, in a plan, on the command line or as a keyword, writes the key alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from functools import wraps
from typing import Any, Final, TypeVar, cast

T = TypeVar("T")
PART: Final[Mapping[str, bool]] = {"part": True}
"""Marks a field whose own fields are settings, each by its own key."""


def called(key: str) -> Mapping[str, str]:
    """Mark a field of a part that goes by another key than its name."""
    return {"key": key}


def composed(made: type[T]) -> type[T]:
    """Let a dataclass be built, and replaced, by the flat keys of its parts as well.

    >>> from dataclasses import dataclass, field
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Training:
    ...     epochs: int = 20
    ...     batch: int = 64
    >>> @composed
    ... @dataclass(frozen=True, kw_only=True)
    ... class Network:
    ...     cut: int = 16
    ...     training: Training = field(default=Training(batch=8), metadata=PART)
    >>> Network(epochs=3)
    Network(cut=16, training=Training(epochs=3, batch=8))
    """
    clash = {name for name in _parts(made) if name in keys(made)}
    if clash:  # replacing by such a key would lose the rest of the part
        raise TypeError(f"{made.__name__}: a part may not have the name of a key, got {', '.join(sorted(clash))}")
    build: Callable[..., None] = made.__init__

    @wraps(build)
    def init(self: T, **settings: Any) -> None:
        parts = {name: type(default) for name, default in _parts(made).items()}
        values = nested(made, settings)
        build(self, **{key: parts[key](**value) if key in parts else value for key, value in values.items()})

    made.__init__ = init  # type: ignore[method-assign, assignment]
    return made


def keys(made: type) -> dict[str, tuple[str, ...]]:
    """Return where each setting lies, by its key.

    >>> from seepage.federations.decision_tree import DecisionTree
    >>> keys(DecisionTree)["release"], keys(DecisionTree)["depth"]
    (('release',), ('growth', 'depth'))
    """
    found: dict[str, tuple[str, ...]] = {}
    for outer in fields(cast("Any", made)):
        if outer.metadata.get("part"):
            for inner in fields(cast("Any", outer.default)):
                found[inner.metadata.get("key", inner.name)] = (outer.name, inner.name)
        elif outer.init:
            found[outer.name] = (outer.name,)
    return found


def nested(made: type, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Put flat settings into their parts, beside what each part is unless told otherwise; unknown ones stay.

    >>> from seepage.federations.decision_tree import DecisionTree
    >>> nested(DecisionTree, {"depth": 3, "release": "ratios"})["growth"]
    {'depth': 3, 'candidates': 'all', 'bins': 32, 'least_rows': 1}
    """
    places, parts = keys(made), _parts(made)
    whole = {key: value for key, value in settings.items() if key in parts and isinstance(value, type(parts[key]))}
    values: dict[str, Any] = {name: dict(vars(part)) for name, part in (parts | whole).items()}
    for key, value in settings.items():
        if key not in whole:
            *outer, last = places.get(key, (key,))
            (values[outer[0]] if outer else values)[last] = value
    return values


def flat(thing: object) -> dict[str, Any]:
    """Return all settings as plain values by their flat keys, those left at their default too.

    >>> from seepage.federations.decision_tree import DecisionTree
    >>> print(*flat(DecisionTree(depth=3)))
    depth candidates bins least_rows release encryption key_bits insecure_key
    """
    values: dict[str, Any] = asdict(cast("Any", thing))
    return {key: values[place[0]][place[1]] if place[1:] else values[key] for key, place in keys(type(thing)).items()}


def _parts(made: type) -> dict[str, Any]:
    return {one.name: one.default for one in fields(cast("Any", made)) if one.metadata.get("part")}
