"""Findings as flat rows, as data frames want them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seepage.audit.findings.finding import Finding
from seepage.audit.findings.labels import UNDEFENDED
from seepage.audit.findings.summary import SummaryLine, summarize

if TYPE_CHECKING:
    import pandas as pd


def frame_of(findings: Sequence[Finding], *, per_seed: bool = False) -> "pd.DataFrame":
    """Return a data frame: a row for each thing that was tried, or for each seed of it."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_frame needs pandas, which is not installed. Install it: pip install pandas.") from error
    rows = [seed_row(one) for one in findings] if per_seed else [line_row(line) for line in summarize(findings)]
    columns = list(dict.fromkeys(key for row in rows for key in row if "." not in key))
    settings = sorted({key for row in rows for key in row if "." in key})  # those of one attack stand together
    return pd.DataFrame(rows, columns=[*columns, *settings])


def line_row(line: SummaryLine) -> dict[str, Any]:
    """Return one line of the tables: means over seeds, and the interval of the advantage."""
    advantage, sure = line.advantage, line.advantage_answered
    return {
        **_circumstances(line.first),
        **_fields(line, "seeds", "failed", "status"),
        **_fields(line.first, "reason"),
        **_fields(line, "metric", "value", "blind", "blind_kind", "ceiling", "ceiling_kind"),
        "advantage": advantage.mean if advantage else None,
        "advantage_low": advantage.low if advantage else None,
        "advantage_high": advantage.high if advantage else None,
        "answered": line.answered,
        "advantage_answered": sure.mean if sure else None,
        **_fields(line.first, "utility_metric"),
        **_fields(line, "utility", "utility_undefended", "cost", "seconds"),
        **_settings(line.first),
    }


def seed_row(finding: Finding) -> dict[str, Any]:
    """Return one finding; what it holds in tables of its own (knowledge, bounds, pictures) is left out."""
    return {
        **_circumstances(finding),
        **_fields(
            finding, "seed", "status", "reason", "metric", "value", "blind", "blind_kind", "ceiling", "ceiling_kind",
            "advantage", "utility_metric", "utility", "utility_undefended", "seconds", "peak_mb",
        ),
        **_settings(finding),
        **_flat("ranking", finding.ranking.model_dump() if finding.ranking is not None else {}),
        **_flat("other", finding.other_metrics),
    }  # fmt: skip


def _fields(held: SummaryLine | Finding, *names: str) -> dict[str, Any]:
    return {name: getattr(held, name) for name in names}


def _circumstances(finding: Finding) -> dict[str, Any]:
    return {
        **_fields(finding, "data", "encoding", "scaling", "split", "federation", "parties"),
        "adversary": "+".join(finding.adversary),
        **_fields(finding, "asset", "property", "attack", "role"),
        "defense": finding.defense or UNDEFENDED,
        "rows": finding.rows,
    }


def _settings(finding: Finding) -> dict[str, Any]:
    return {
        **_flat("attack", finding.attack_settings),
        **_flat("defense", finding.defense_settings),
        **_flat("model", finding.model_settings),
    }


def _flat(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Give every setting a column of its own; dots reach into it.

    >>> _flat("model", {"epochs": 3, "hidden": [8, 8], "optimizer": {"name": "adam"}})
    {'model.epochs': 3, 'model.hidden': (8, 8), 'model.optimizer.name': 'adam'}
    """
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping):
            flat |= _flat(f"{name}.{key}", value)
        else:
            flat[f"{name}.{key}"] = tuple(value) if isinstance(value, list) else value  # lists cannot be grouped by
    return flat
