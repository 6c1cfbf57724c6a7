"""How well each column was guessed, the least protected first. Names and errors, never a value."""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.scenes import Trial
from seepage.audit.findings.summary import SummaryLine
from seepage.audit.findings.survey import Survey
from seepage.report.wording import together
from seepage.scores.digits import NO_NUMBER, number
from seepage.scores.levels import level
from seepage.scores.metrics import MSE

MOST_SHOWN: Final = 10
ERROR, SPREAD = f"{MSE.name}[", "variance["
OWN, PREDICTION = "correlation_own[", "correlation_prediction["


@dataclass(frozen=True, kw_only=True)
class ColumnError:
    """One column of somebody else, and how near its guessed values came."""

    name: str
    error: str
    spread: str
    told: str
    bar: tuple[float, float, float]
    level: str
    own: str
    prediction: str


@dataclass(frozen=True, kw_only=True)
class FeatureErrors:
    """The columns that one attack guessed."""

    title: str
    columns: tuple[ColumnError, ...]
    left_out: int
    predictions: bool


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
    return FeatureErrors(
        title=(
            f"{first.attack}{f' after {variant}' if isinstance(variant, str) else ''} on {place}, "
            f"by {together(first.adversary)}{'' if first.defense is None else f', under {defense_label(first)}'}"
        ),
        columns=tuple(_column(other, name) for name in names[:MOST_SHOWN]),
        left_out=max(0, len(names) - MOST_SHOWN),
        predictions=any(key.startswith(PREDICTION) for key in other),
    )


def _column(other: Mapping[str, float], name: str) -> ColumnError:
    told = max(0.0, _told(other, name))
    return ColumnError(
        name=name,
        error=MSE.written(other[f"{ERROR}{name}]"]),
        spread=MSE.written(other.get(f"{SPREAD}{name}]")),
        told=number(told) if f"{SPREAD}{name}]" in other else NO_NUMBER,
        bar=(round(100 * told, 1), 0.0, 0.0),
        level=level(told),
        own=number(other.get(f"{OWN}{name}]")),
        prediction=number(other.get(f"{PREDICTION}{name}]")),
    )


def _told(other: Mapping[str, float], name: str) -> float:
    """Return the share of a column's variance that was told, 1 − error / variance; below 0 where it has none."""
    spread = other.get(f"{SPREAD}{name}]", 0.0)
    return 1 - other[f"{ERROR}{name}]"] / spread if spread > 1e-12 else -1.0


def _named(other: Mapping[str, float], prefix: str) -> list[str]:
    return [key.removeprefix(prefix).removesuffix("]") for key in other if key.startswith(prefix)]
