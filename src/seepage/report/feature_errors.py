"""How well each column was guessed, the least protected first. Names and errors, never a value."""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.scenes import Trial
from seepage.audit.findings.summary import SummaryLine
from seepage.audit.findings.survey import Survey
from seepage.report.plain_table import NUMBER, Bar, Cell, Column, PlainTable, table
from seepage.report.wording import together
from seepage.scores.digits import NO_NUMBER, number
from seepage.scores.levels import level
from seepage.scores.metrics import MSE

MOST_SHOWN: Final = 10
ERROR, SPREAD = f"{MSE.name}[", "variance["
OWN, PREDICTION = "correlation_own[", "correlation_prediction["


COLUMNS: Final = (
    Column("Column"), Column("MSE", NUMBER), Column("Column mean earns", NUMBER, "Column mean"),
    Column("Told of its variance", "told", "Told"), Column("Correlation with own columns", NUMBER, "Own columns"),
    Column("with predictions", NUMBER, "Predictions"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class FeatureErrors:
    """The columns that one attack guessed."""

    title: str
    columns: PlainTable
    left_out: int


def feature_errors(survey: Survey) -> list[FeatureErrors]:
    """Write one table for each attack on each federation, without a defense wherever that was tried."""
    guessed = [[lines for trial in scene.trials if (lines := _guessed(trial))] for scene in survey.scenes]
    bare = [line for trials in guessed for line in (trials[0] if trials else ())]
    several = len({line.first.data for line in bare}) > 1
    return [_errors(line, several_data=several) for line in sorted(bare, key=attrgetter("reach"), reverse=True)]


def _guessed(trial: Trial) -> list[SummaryLine]:
    return [line for line in trial.fine if any(key.startswith(ERROR) for key in line.other)]


def _errors(line: SummaryLine, *, several_data: bool) -> FeatureErrors:
    first, other = line.first, line.other
    names = sorted(_named(other, ERROR), key=lambda name: _told(other, name), reverse=True)
    variant = first.attack_settings.get("labels")
    place = f"{first.federation}, {first.data}" if several_data else first.federation
    shown = len(COLUMNS) - (not any(key.startswith(PREDICTION) for key in other))
    return FeatureErrors(
        title=(
            f"{first.attack}{f' after {variant}' if isinstance(variant, str) else ''} on {place}, "
            f"by {together(first.adversary)}{'' if first.defense is None else f', under {defense_label(first)}'}"
        ),
        columns=table(COLUMNS[:shown], (_row(other, name)[:shown] for name in names[:MOST_SHOWN])),
        left_out=max(0, len(names) - MOST_SHOWN),
    )


def _row(other: Mapping[str, float], name: str) -> tuple[Cell, ...]:
    told = max(0.0, _told(other, name))
    return (
        name,
        MSE.written(other[f"{ERROR}{name}]"]),
        MSE.written(other.get(f"{SPREAD}{name}]")),
        Bar(number(told) if f"{SPREAD}{name}]" in other else NO_NUMBER, round(100 * told, 1), level(told)),
        number(other.get(f"{OWN}{name}]")),
        number(other.get(f"{PREDICTION}{name}]")),
    )


def _told(other: Mapping[str, float], name: str) -> float:
    """Return the share of a column's variance that was told, 1 − error / variance; below 0 where it has none."""
    spread = other.get(f"{SPREAD}{name}]", 0.0)
    return 1 - other[f"{ERROR}{name}]"] / spread if spread > 1e-12 else -1.0


def _named(other: Mapping[str, float], prefix: str) -> list[str]:
    return [key.removeprefix(prefix).removesuffix("]") for key in other if key.startswith(prefix)]
