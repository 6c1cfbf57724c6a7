"""How near estimated shares came to the true ones. Shares of a population, never a record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.scenes import PUT_BACK, Trial
from seepage.audit.findings.summary import SummaryLine
from seepage.audit.findings.survey import Survey
from seepage.report.pictures.norm_pictures import NormPictures, norm_pictures
from seepage.report.plain_table import NUMBER, Column, PlainTable, small, table
from seepage.report.wording import together
from seepage.scores.digits import NO_NUMBER, number
from seepage.scores.metrics import FRACTION_ERROR

TRUE, GUESSED = "true_fraction", "guessed_fraction"
AFTER, SHIFT = "error_after_withdrawal", "withdrawal_shift"
BLIND: Final = {
    "error_adjusted_counting_on_own_columns": "own columns",
    "error_one_half": "one half",
    "error_auxiliary_share": "people asked",
    "error_all_known_rows_with_it": "known ones counted",
}
"""Errors of answers that need no federation, with a short name each."""
OTHERWISE: Final = "error_"
_written = FRACTION_ERROR.written


COLUMNS: Final = (
    Column("Attack"), Column("Where"), Column("True share", NUMBER), Column("Estimated", NUMBER),
    Column("Off by", NUMBER), Column("Without the federation", NUMBER),
    Column("Counted otherwise, off by", brief="Otherwise"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class FractionErrors:
    """All estimates of one property."""

    summary: str
    estimates: PlainTable


@dataclass(frozen=True)
class Shares:
    """Estimates of all properties, and pictures of what they were read from."""

    estimates: list[FractionErrors]
    pictures: list[NormPictures]


def shares(survey: Survey) -> Shares | None:
    """Tell how many have a property; None where no share was estimated."""
    estimates = fraction_errors(survey)
    return Shares(estimates, norm_pictures(survey)) if estimates else None


def fraction_errors(survey: Survey) -> list[FractionErrors]:
    """Write one table for each property: every attack without a defense, and the nearest where rows are withdrawn."""
    shown: dict[str, list[SummaryLine]] = {}
    for scene in survey.scenes:
        trials = [lines for trial in scene.trials if (lines := _estimates(trial))]
        if trials:
            bare, *others = trials
            withdrawn = [[line for line in lines if PUT_BACK in line.other] for lines in others]
            nearest = [min(lines, key=lambda line: line.other[PUT_BACK]) for lines in withdrawn if lines]
            shown.setdefault(str(scene.first.property), []).extend((*bare, *nearest))
    return [_errors(asked, group) for asked, group in shown.items()]


def _estimates(trial: Trial) -> list[SummaryLine]:
    return [line for line in trial.fine if line.measure is FRACTION_ERROR]


def _errors(asked: str, group: Sequence[SummaryLine]) -> FractionErrors:
    ordered = sorted(
        group, key=lambda line: (line.first.defense is not None, line.value if line.value is not None else 1)
    )
    best = ordered[0]
    return FractionErrors(
        summary=(
            f"{asked}: estimated within {_written(best.value)} by {best.first.attack} on {best.first.federation}; "
            f"without the federation within {_written(best.blind)} ({FRACTION_ERROR.blind_phrase(best.blind_kind)})"
        ),
        estimates=table(COLUMNS, map(_row, ordered)),
    )


def _row(line: SummaryLine) -> tuple[str, ...]:
    first, other = line.first, line.other
    under = "" if first.defense is None else f", under {defense_label(first)}"
    blind = _told({name: other[key] for key, name in BLIND.items() if key in other})
    return (
        first.attack + " (baseline)" * line.is_baseline,
        f"{first.federation}, by {together(first.adversary)}{under}",
        number(other.get(TRUE)),
        number(other.get(GUESSED)),
        _written(line.value),
        small(_written(line.blind), blind),
        small(_told(_other_ways(other)) or NO_NUMBER, _withdrawn(other)),
    )


def _other_ways(other: Mapping[str, float]) -> dict[str, float]:
    """Return the errors of other ways to count, by name."""
    settled = {*BLIND, AFTER, PUT_BACK}
    return {
        key.removeprefix(OTHERWISE): value
        for key, value in other.items()
        if key.startswith(OTHERWISE) and key not in settled
    }


def _withdrawn(other: Mapping[str, float]) -> str:
    """Part what withdrawing rows did to the share itself from the rest."""
    if PUT_BACK not in other:
        return ""
    return (
        f"among the rows left {_written(other.get(AFTER))}; withdrawing moved the share itself by "
        f"{_written(other.get(SHIFT))}; with the withdrawn put back {_written(other[PUT_BACK])}"
    )


def _told(errors: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {_written(value)}" for name, value in errors.items())
