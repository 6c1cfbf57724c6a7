"""How a defense or an attack is called: its name, and the settings that a reader needs to tell it from others."""

from collections.abc import Iterable, Mapping
from typing import Any

from seepage.audit.findings.finding import Finding
from seepage.audit.plan.settings import settings_of
from seepage.defenses import DEFENSES

UNDEFENDED = "none"
"""What having no defense is called."""


def settings_text(values: Mapping[str, Any]) -> str:
    """Write settings in one line; one that is left empty says nothing.

    >>> settings_text({"epochs": 30, "hidden": [16, 8], "labels_per_class": None, "property": ""})
    'epochs=30, hidden=[16, 8], labels_per_class=none'
    """
    return ", ".join(f"{key}={_setting(value)}" for key, value in values.items() if value != "")


def label(name: str | None, settings: Mapping[str, Any]) -> str:
    """Name something with its settings.

    >>> label("top-k", {"share": 0.1}), label("union", {}), label(None, {})
    ('top-k (share=0.1)', 'union', 'none')
    """
    written = settings_text(settings) if name is not None else ""
    return f"{name} ({written})" if written else name or UNDEFENDED


def defense_label(finding: Finding, *, short: bool = False) -> str:
    """Name the defense of a finding with its settings, or ``none``; a switch that is off unless asked for says nothing.

    Parameters
    ----------
    short
        Whether, as in narrow columns, only the first setting is shown and those that are not at their default.

    Examples
    --------
    >>> places = {"data": "iris", "encoding": "one-hot", "scaling": "standard", "federation": "split-network"}
    >>> facts = {"parties": 2, "adversary": ("lab",), "attack": "id2graph", "asset": "labels", "seed": 0}
    >>> noise = {"defense": "laplace-noise", "defense_settings": {"scale": 0.01, "both_sides": False}}
    >>> defense_label(Finding(**places, **facts)), defense_label(Finding(**places, **facts, **noise))
    ('none', 'laplace-noise (scale=0.01)')
    """
    names = DEFENSES.parts(finding.defense) if finding.defense is not None else ()
    if len(names) > 1:
        parts = [(name, finding.defense_settings.get(name, {})) for name in names]
        return " + ".join(label(name, _unusual(name, settings, short=True)) for name, settings in parts)
    return label(finding.defense, _unusual(finding.defense, finding.defense_settings, short=short))


def _unusual(name: str | None, settings: Mapping[str, Any], *, short: bool) -> Mapping[str, Any]:
    """Return the settings that say something: of ours, the first and those that are not at their default."""
    if name is None or name not in DEFENSES:
        return settings
    usual = settings_of(DEFENSES[name]())
    return {
        key: value
        for place, (key, value) in enumerate(settings.items())
        if usual.get(key) != value or (value is not False and (place == 0 or not short))
    }


def telling(settings: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return those settings that tell something apart from others of its name.

    >>> telling({"epochs": 5, "hidden": [8]}, [{"epochs": 5, "hidden": [8]}, {"epochs": 9, "hidden": [8]}])
    {'epochs': 5}
    """
    distinct = [other for other in others if other is not settings and other != settings]
    return {key: value for key, value in settings.items() if any(other.get(key) != value for other in distinct)}


def _setting(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_setting(item) for item in value)}]"
    if isinstance(value, Mapping):
        return f"({settings_text(value)})"
    return str(value)
