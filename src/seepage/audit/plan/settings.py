"""From names and values that people write to checked objects."""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from seepage.catalogs import Catalog, is_place
from seepage.defenses.catalog import DEFENSES
from seepage.defenses.combined import Combined
from seepage.errors import BadSetting, UnknownName
from seepage.hooks import Seam
from seepage.settings import flat, keys, nested

T = TypeVar("T")


def build(catalog: Catalog[type[T]], name: str, settings: Mapping[str, Any]) -> T:
    """Build what NAME stands for with these settings, or say which one is wrong.

    >>> from seepage.defenses import DEFENSES
    >>> build(DEFENSES, "laplace-noise", {"scale": 0.1})
    LaplaceNoise(scale=0.1, both_sides=False)
    >>> build(DEFENSES, "laplace-noise", {"scal": 0.1})
    Traceback (most recent call last):
        ...
    seepage.errors.UnknownName: No setting of laplace-noise is called 'scal'; did you mean 'scale'?
    Known settings of laplace-noise: both_sides, scale.
    """
    parts = catalog.parts(name)
    if len(parts) > 1:
        return cast("T", _combined(parts, settings))
    return build_class(catalog.kind, name, catalog[name], settings)


def _combined(names: tuple[str, ...], settings: Mapping[str, Any]) -> Combined:
    """Build several defenses that act together; each has settings of its own, by its name."""
    told = "+".join(names)
    if len(set(names)) < len(names):
        raise BadSetting(f"defense {told}: each of the defenses that act together must be named once.")
    for key, value in settings.items():
        if key not in names:
            raise UnknownName(f"defense of {told}", key, known=names)
        if not isinstance(value, Mapping):
            raise BadSetting(f"defense {told}: settings go by the defense, such as {key}:key=value, got {value!r}.")
    parts = tuple((name, build(DEFENSES, name, settings.get(name, {}))) for name in names)
    if sum(Seam.VERIFICATION in part.acts_on for _, part in parts) > 1:
        raise BadSetting(f"defense {told}: one defense can verify predictions, not two. Leave one out.")
    told_rows = [name for name, part in parts if Seam.SIGNAL in part.acts_on]
    reading = [name for name, part in parts if part.binary or Seam.RECEIVED_LOSS in part.acts_on]
    if told_rows and reading:
        raise BadSetting(
            f"defense {told}: {reading[0]} reads the labels once more that {told_rows[0]} hides, so that what it "
            "promises of them would not hold. Leave one of the two out."
        )
    return Combined(parts)


def build_class(kind: str, name: str, made: type[T], settings: Mapping[str, Any]) -> T:
    """Build a class that somebody called NAME with these settings, or say which one is wrong."""
    known = keys(made)
    for key in settings:
        if key not in known:
            raise UnknownName(f"setting of {name}", key, known=known)
    try:
        built: T = _adapter(cast("Any", made)).validate_python(nested(made, settings))
    except ValidationError as error:
        raise BadSetting(f"{kind} {name}: {first_complaint(error, known)}") from error
    _refuse_unknown_parts(name, settings, {key: _at(built, place) for key, place in known.items()})
    return built


def _at(built: object, place: tuple[str, ...]) -> object:
    for name in place:
        built = getattr(built, name)
    return built


@cache
def _adapter(made: Any) -> TypeAdapter[Any]:
    """Return what checks the settings of one class: to make it takes far longer than to use it."""
    return TypeAdapter(made)


def settings_of(thing: object) -> dict[str, Any]:
    """Return all settings of an attack, a defense or a federation by their keys, those left at their default too.

    They are plain JSON values, so that a finding is the same before and after it was stored.
    """
    from seepage.audit.isolation.outside import OutsideAttack

    if isinstance(thing, Combined):
        return {name: settings_of(part) for name, part in thing.parts}
    given = thing.settings if isinstance(thing, OutsideAttack) else flat(thing)
    values: dict[str, Any] = json.loads(json.dumps(given))
    return values


def _refuse_unknown_parts(name: str, given: Mapping[str, Any], built: Any, place: str = "") -> None:
    """Refuse a misspelled part of a setting, which would otherwise be passed over."""
    parts = {field.name: getattr(built, field.name) for field in fields(built)} if is_dataclass(built) else built
    for key, value in given.items():
        if key not in parts:
            raise UnknownName(f"setting of {name}", f"{place}{key}", known=[f"{place}{part}" for part in parts])
        if isinstance(value, Mapping) and (is_dataclass(parts[key]) or isinstance(parts[key], Mapping)):
            _refuse_unknown_parts(name, value, parts[key], f"{place}{key}.")


def first_complaint(error: ValidationError, known: Mapping[str, tuple[str, ...]] | None = None) -> str:
    """Return the first thing that pydantic found, as a sentence; what lies at a known place goes by its key."""
    found = error.errors(include_url=False)[0]
    steps = found["loc"]
    steps = next(((key, *steps[len(at) :]) for key, at in (known or {}).items() if at == steps[: len(at)]), steps)
    place = ".".join(str(step) for step in steps)
    if "error" in found.get("ctx", {}):  # raised by a __post_init__ of ours, which says it all
        return f"{found['ctx']['error']}."
    given = found["input"]
    shown = f", got {given!r}" if isinstance(given, str | int | float | bool) else ""
    message = (found["msg"][0].lower() + found["msg"][1:]).replace("valid tuple", "list")
    return f"{place + ': ' if place else ''}{message}{shown}."


def parse_assignments(pairs: Iterable[str], option: str) -> dict[str, Any]:
    """Read ``key=value`` pairs; values are TOML where they can be, text otherwise; dots nest.

    >>> parse_assignments(["epochs=3", "optimizer.learning_rate=0.1", "bottom=mlp", "hidden=[8, 8]"], "--model")
    {'epochs': 3, 'optimizer': {'learning_rate': 0.1}, 'bottom': 'mlp', 'hidden': [8, 8]}
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            raise BadSetting(f"{option} {pair}: expected key=value, such as {option} epochs=30.")
        *outer, last = key.strip().split(".")
        inside = values
        for step in outer:
            inside = inside.setdefault(step, {})
            if not isinstance(inside, dict):
                raise BadSetting(f"{option} {pair}: '{step}' is already set to {inside}. Set one or the other.")
        inside[last] = parse_value(text.strip())
    return values


def parse_value(text: str) -> Any:
    """Read one value.

    >>> parse_value("1e-2"), parse_value("true"), parse_value("silent")
    (0.01, True, 'silent')
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    except RecursionError:
        raise BadSetting(f"'{text[:20]}…' is nested too deeply to be read. Write a plain value or list.") from None


def parse_choice(text: str, option: str) -> tuple[str, dict[str, Any]]:
    """Read ``name:key=value,key=value``; a name may be the place of a class.

    >>> parse_choice("top-k:share=0.1", "--defense")
    ('top-k', {'share': 0.1})
    >>> parse_choice("my_package.my_module:MyAttack:epochs=3", "--attack")
    ('my_package.my_module:MyAttack', {'epochs': 3})
    >>> parse_choice("gradient-sign:epochs=[0,1],rule=smallest", "--attack")
    ('gradient-sign', {'epochs': [0, 1], 'rule': 'smallest'})

    Defenses that act together are joined by a plus, each with its own settings:

    >>> parse_choice("laplace-noise:scale=1e+2+dropout", "--defense")
    ('laplace-noise+dropout', {'laplace-noise': {'scale': 100.0}})
    """
    parts = [_parse_one(part, option) for part in re.split(r"\+(?=\s*[^\W\d])", text)]
    if len(parts) == 1:
        return parts[0]
    return "+".join(name for name, _ in parts), {name: settings for name, settings in parts if settings}


def _parse_one(text: str, option: str) -> tuple[str, dict[str, Any]]:
    name, _, settings = text.partition(":")
    first, colon, rest = settings.partition(":")
    if is_place(f"{name.strip()}:{first.strip()}") and "=" not in first:
        name, settings = f"{name.strip()}:{first.strip()}", rest if colon else ""
    pairs = re.split(r",(?![^\[]*\])", settings)  # a comma inside brackets belongs to a list
    return name.strip(), parse_assignments([pair for pair in pairs if pair.strip()], option)
