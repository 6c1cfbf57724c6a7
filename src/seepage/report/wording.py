"""How names, settings and intervals are written on the page."""

from collections.abc import Mapping, Sequence
from typing import Any

from seepage.scores.digits import number
from seepage.scores.intervals import Interval


def subject(asset: str, asked: str | None) -> str:
    """Name what is learned: an asset, or the share of people with a property.

    >>> subject("labels", None), subject("properties", "sex=Male")
    ('labels', 'share of sex=Male')
    """
    return asset if asked is None else f"share of {asked}"


def bounds(interval: Interval | None) -> str:
    """Write the interval around an estimate; empty where one seed gave none.

    >>> bounds(Interval(0.5, 0.412, 0.618)), bounds(Interval(0.5, None, None))
    ('[0.41, 0.62]', '')
    """
    if interval is None or interval.low is None or interval.high is None:
        return ""
    return f"[{interval.low:.2f}, {interval.high:.2f}]"


def with_bounds(interval: Interval) -> str:
    """Write an estimate and the interval around it.

    >>> with_bounds(Interval(1.0, 0.99, 1.0))
    '1.000 [0.99, 1.00]'
    """
    return f"{number(interval.mean)} {bounds(interval)}".rstrip()


def opening(text: str) -> str:
    """Begin a sentence; names inside it keep their capitals.

    >>> opening("share of sex=Male")
    'Share of sex=Male'
    """
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str]) -> str:
    """Write several names as part of a sentence.

    >>> listed(["forest"]), listed(["decision-tree", "forest", "boosting"])
    ('forest', 'decision-tree, forest and boosting')
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def together(names: Sequence[str]) -> str:
    """Name parties that act as one.

    >>> together(["lab"]), together(["lab", "shop"])
    ('lab', 'lab and shop together')
    """
    return listed(names) + " together" * (len(names) > 1)


def settings(values: Mapping[str, Any]) -> str:
    """Write settings in one line; one that is left empty says nothing.

    >>> settings({"epochs": 30, "hidden": [16, 8], "labels_per_class": None, "property": ""})
    'epochs=30, hidden=[16, 8], labels_per_class=none'
    """
    return ", ".join(f"{key}={_setting(value)}" for key, value in values.items() if value != "")


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
        return f"({settings(value)})"
    return str(value)


def counted(count: int, singular: str, plural: str | None = None) -> str:
    """Write how many there are.

    >>> counted(1, "seed"), counted(3, "party", "parties")
    ('1 seed', '3 parties')
    """
    return f"{count} {singular if count == 1 else plural or singular + 's'}"
