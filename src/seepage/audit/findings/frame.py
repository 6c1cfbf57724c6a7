"""Findings as flat rows, as data frames want them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seepage.audit.findings.finding import Finding
from seepage.audit.findings.labels import UNDEFENDED
from seepage.audit.findings.scenes import Trial
from seepage.audit.findings.summary import SummaryLine
from seepage.audit.findings.survey import Survey
from seepage.scores.intervals import Interval

if TYPE_CHECKING:
    import pandas as pd


def frame_of(findings: Sequence[Finding], *, per_seed: bool = False) -> "pd.DataFrame":
    """Return a data frame: a row for each thing that was tried, or for each seed of it."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_frame needs pandas, which is not installed. Install it: pip install pandas.") from error
    rows = [seed_row(one) for one in findings] if per_seed else line_rows(Survey(findings))
    columns = list(dict.fromkeys(key for row in rows for key in row if "." not in key))
    settings = sorted({key for row in rows for key in row if "." in key})  # those of one attack stand together
    return pd.DataFrame(rows, columns=[*columns, *settings])


def line_rows(survey: Survey) -> list[dict[str, Any]]:
    """Return the lines of the tables, each with whether it is the strongest under its defense."""
    homes = {id(trial.strongest): trial for scene in survey.scenes for trial in scene.trials if trial.strongest}
    return [line_row(line, homes.get(id(line))) for line in survey.lines]


def line_row(line: SummaryLine, home: Trial | None = None) -> dict[str, Any]:
    """Return one line of the tables: means over seeds, with the intervals of advantage, cost and what is kept.

    Parameters
    ----------
    home
        Where the line is the strongest of all: ``strongest_low`` and ``strongest_high`` are then the interval that
        knows of the choice, which verdicts quote.
    """
    sure = line.advantage_answered
    return {
        **_circumstances(line.first),
        **_fields(line, "seeds", "failed", "status"),
        **_fields(line.first, "reason"),
        **_fields(line, "metric", "value", "blind", "blind_kind", "ceiling", "ceiling_kind"),
        **_interval("advantage", line.advantage),
        "strongest": home is not None,
        **_ends("strongest", home.advantage if home else None),
        "answered": line.answered,
        "advantage_answered": sure.mean if sure else None,
        **_fields(line.first, "utility_metric"),
        **_fields(line, "utility", "utility_undefended"),
        "utility_alone": line.worth.own.mean if line.worth.own else None,
        **_interval("cost", line.cost_interval),
        **_interval("kept", line.kept),
        **_fields(line, "seconds"),
        **_fields(line.first, "audited_rows", "all_rows"),
        **_settings(line.first),
    }


def _interval(name: str, held: Interval | None) -> dict[str, Any]:
    return {name: held.mean if held else None, **_ends(name, held)}


def _ends(name: str, held: Interval | None) -> dict[str, Any]:
    return {f"{name}_low": held.low if held else None, f"{name}_high": held.high if held else None}


def seed_row(finding: Finding) -> dict[str, Any]:
    """Return one finding; what it holds in tables of its own (knowledge, bounds, pictures) is left out."""
    return {
        **_circumstances(finding),
        **_fields(
            finding, "seed", "status", "reason", "metric", "value", "blind", "blind_kind", "ceiling", "ceiling_kind",
            "advantage", "utility_metric", "utility", "utility_undefended", "utility_alone", "audited_rows", "all_rows",
            "seconds", "peak_mb",
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
