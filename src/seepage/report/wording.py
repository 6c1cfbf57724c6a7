"""How numbers, names and settings are written on the page."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from seepage.scores.intervals import Interval

NO_NUMBER: Final = "–"

METRIC_NAMES: Final[Mapping[str, str]] = {
    "absolute_error": "absolute error",
    "auc": "AUC",
    "branching_rate": "correct branching rate",
    "f1": "F1",
    "fraction_error": "error of the share",
    "mse": "MSE",
    "r2": "R²",
    "top1": "top-1",
    "top_1": "top-1",
    "top5": "top-5",
    "top_5": "top-5",
    "v_measure": "V-measure",
}


def number(value: float | None) -> str:
    """Write three decimals, or a dash where there is no number.

    >>> number(0.12345), number(None), number(-0.0001)
    ('0.123', '–', '0.000')
    """
    if value is None:
        return NO_NUMBER
    written = f"{value:.3f}"
    return written.removeprefix("-") if float(written) == 0 else written.replace("-", "−")


def error(value: float | None) -> str:
    """Write a squared error: three decimals, or two digits where that would hide it.

    >>> error(0.0804), error(0.00421), error(3.2e-11), error(0.0), error(None)
    ('0.080', '0.0042', '3.2e-11', '0', '–')
    """
    if value is None:
        return NO_NUMBER
    if value == 0:
        return "0"
    return f"{value:.3f}" if abs(value) >= 0.01 else f"{value:.2g}"


def share_error(value: float | None) -> str:
    """Write how far an estimated share is off: three decimals, four where it is off by less than one in a hundred.

    >>> share_error(0.0214), share_error(0.00421), share_error(0.00001), share_error(None)
    ('0.021', '0.0042', '0.0000', '–')
    """
    return number(value) if value is None or abs(value) >= 0.00995 else f"{abs(value):.4f}"


def measured(value: float | None, metric: str | None) -> str:
    """Write what was measured, as finely as the metric asks for.

    >>> measured(0.00042, "mse"), measured(0.00042, "fraction_error"), measured(0.00042, "top1")
    ('0.00042', '0.0004', '0.000')
    """
    if metric == "fraction_error":
        return share_error(value)
    return error(value) if metric == "mse" else number(value)


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


def metric_name(name: str | None) -> str:
    """Write a metric as the literature does.

    >>> metric_name("v_measure"), metric_name("balanced_accuracy")
    ('V-measure', 'balanced accuracy')
    """
    return METRIC_NAMES.get(name or "", (name or NO_NUMBER).replace("_", " "))


METRIC_MEANINGS: Final[Mapping[str, str]] = {
    "top1": "The share of rows whose label was named rightly. Rows without an answer count as wrong.",
    "auc": (
        "How often somebody with a label is ranked above somebody without it (the mean over labels where there are "
        "more than two). ½ is chance, 1 a perfect ranking. Labels are judged by the worse of top-1 and this: where one "
        "class is rare, an adversary may name few labels rightly and still know whom to call first."
    ),
    "v_measure": (
        "How well the guessed groups match the labels, 0 to 1. The guess says which rows belong together, "
        "not what their class is called. 1 is one group for each class, 0 groups that have nothing to do with labels."
    ),
    "mse": (
        "The mean squared error of guessed feature values, each in units of its column's range: 0 is the least value, "
        "1 the largest. Lower is better for the adversary, and 0 gives every value away. A constant ½ needs neither "
        "messages nor knowledge and is never off by more than 0.25; a guess that does not beat it has learned nothing. "
        "The column mean is shown beside it: it needs the truth, so it is no blind guess, but an attack that does not "
        "beat it has not told one row from another."
    ),
    "branching_rate": (
        "Of all turns that the guessed paths take at nodes of unknown columns, the share that the true values take "
        "too. Each right turn puts a value into an interval; it does not give it away."
    ),
    "fraction_error": (
        "How far the estimated share of people with a property is from the true one among all rows that were aligned; "
        "0.01 is one person in a hundred. Lower is better for the adversary, and 0 gives the share away. Blind is the "
        "best of the answers that need no federation: adjusted counting on the adversary's own columns, one half, and "
        "what the people say whom it has asked itself."
    ),
}

BLIND_PHRASES: Final[Mapping[str, str]] = {
    "constant ½": "a constant ½",
    "uniform guess": "a uniform guess",
    "Gaussian guess": "a Gaussian guess",
    "mean of known values": "the mean of known values",
    "known mean": "the known mean of each column",
    "any leaf": "a path to any leaf",
    "a leaf that own columns allow": "a path to a leaf that own columns allow",
    "own columns and known values": "a guess from own columns and known values",
    "own columns, labels and known values": "a guess from own columns, labels and known values",
    "adjusted counting on own columns": "adjusted counting on own columns",
    "one half": "a guess of one half",
    "auxiliary share": "the share among the people asked",
    "all known rows with it": "counting those who are known to have it",
}


def blind_phrase(kind: str | None) -> str:
    """Name a blind guess inside a sentence.

    >>> blind_phrase("constant ½"), blind_phrase("majority class"), blind_phrase(None)
    ('a constant ½', 'majority class', 'a blind guess')
    """
    return BLIND_PHRASES.get(kind or "", kind or "a blind guess")


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
