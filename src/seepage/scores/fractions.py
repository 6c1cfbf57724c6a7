"""The error of an estimated fraction."""

from collections.abc import Mapping

from seepage.scores.metrics import FRACTION_ERROR
from seepage.scores.score import Score


def score_fraction(
    guessed: float,
    true: float,
    blind: Mapping[str, float],
    *,
    others: Mapping[str, float] | None = None,
    notes: Mapping[str, float] | None = None,
) -> Score:
    """Return the absolute error of a fraction; 0.01 is one person in a hundred.

    The best of the blind answers counts as blind, chosen by the truth, which can
    only lower the advantage; the errors of all are given beside.

    >>> score = score_fraction(0.62, 0.60, {"one half": 0.5, "auxiliary share": 0.7})
    >>> round(score.value, 3), round(score.blind, 3), score.blind_kind, score.advantage
    (0.02, 0.1, 'one half', 0.8)
    """
    errors = {kind: abs(fraction - true) for kind, fraction in blind.items()}
    other = {
        "true_fraction": true,
        "guessed_fraction": guessed,
        **{f"error_{_short(kind)}": error for kind, error in errors.items()},
        **{f"error_{name}": abs(fraction - true) for name, fraction in (others or {}).items()},
        **(notes or {}),
    }
    return Score.of(FRACTION_ERROR, abs(guessed - true), errors, other)


def _short(kind: str) -> str:
    return kind.replace(" ", "_")
