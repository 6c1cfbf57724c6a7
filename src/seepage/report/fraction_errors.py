"""How near estimated shares came to the true ones. Shares of a population, never a record."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.summary import SummaryLine
from seepage.report.scenes import PUT_BACK, scenes
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


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What one attack said, and what else could have been said."""

    attack: str
    place: str
    true: str
    guessed: str
    error: str
    blind: str
    blind_details: str
    otherwise: str
    withdrawn: str


@dataclass(frozen=True, kw_only=True)
class FractionErrors:
    """All estimates of one property."""

    asked: str
    summary: str
    estimates: tuple[Estimate, ...]


def fraction_errors(lines: Iterable[SummaryLine]) -> list[FractionErrors]:
    """Write one table for each property: every attack without a defense, and the nearest where rows are withdrawn."""
    guessed = [line for line in lines if line.status == "ok" and line.measure is FRACTION_ERROR]
    shown: dict[str, list[SummaryLine]] = {}
    for scene in scenes(guessed):
        bare = (scene.undefended or scene.trials[0]).lines
        others = [trial for trial in scene.defended if not any(line is bare[0] for line in trial.lines)]
        withdrawn = [[line for line in trial.lines if PUT_BACK in line.other] for trial in others]
        nearest = [min(lines, key=lambda line: line.other[PUT_BACK]) for lines in withdrawn if lines]
        shown.setdefault(str(scene.first.first.property), []).extend((*bare, *nearest))
    return [_errors(asked, group) for asked, group in shown.items()]


def _errors(asked: str, group: Sequence[SummaryLine]) -> FractionErrors:
    ordered = sorted(
        group, key=lambda line: (line.first.defense is not None, line.value if line.value is not None else 1)
    )
    best = ordered[0]
    return FractionErrors(
        asked=asked,
        summary=(
            f"{asked}: estimated within {_written(best.value)} by {best.first.attack} on {best.first.federation}; "
            f"without the federation within {_written(best.blind)} ({FRACTION_ERROR.blind_phrase(best.blind_kind)})"
        ),
        estimates=tuple(_estimate(line) for line in ordered),
    )


def _estimate(line: SummaryLine) -> Estimate:
    first, other = line.first, line.other
    under = "" if first.defense is None else f", under {line.defense_label}"
    return Estimate(
        attack=first.attack + " (baseline)" * (first.role == "baseline"),
        place=f"{first.federation}, by {together(first.adversary)}{under}",
        true=number(other.get(TRUE)),
        guessed=number(other.get(GUESSED)),
        error=_written(line.value),
        blind=_written(line.blind),
        blind_details=_told({name: other[key] for key, name in BLIND.items() if key in other}),
        otherwise=_told(_other_ways(other)) or NO_NUMBER,
        withdrawn=_withdrawn(other),
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
