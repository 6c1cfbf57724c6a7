"""Guessed values and branches against the true columns."""

from dataclasses import replace

import numpy as np

from seepage.audit.guessed_branches import guessed_branches
from seepage.audit.truth import Truth
from seepage.guesses import BranchGuess, FeatureGuess
from seepage.messages import Kind
from seepage.scores import Score
from seepage.scores.bounds.equality_solving import nearest_in_box_bound, nearest_to_zero_bound
from seepage.scores.branches import score_branches
from seepage.scores.features import HALF, score_features
from seepage.shapes import Array, Matrix, Rows
from seepage.views import View
from seepage.views.joint_columns import unknown_columns


def score_feature_guess(guess: FeatureGuess, truth: Truth, view: View, rows: Rows) -> Score:
    """Score all columns that the adversary lacks, or those it was asked for, over all rows but those it knew.

    Where the guess says nothing about a row or a column, ½ stands in: a
    prediction that was withheld, or a column that no model reads, is no protection
    from a constant.
    """
    rows = np.setdiff1d(rows, view.knowledge.value_rows)
    columns, limits = unknown_columns(view)
    if guess.chosen:
        kept = [place for place, column in enumerate(columns) if column in guess.columns]
        columns, limits = tuple(columns[place] for place in kept), limits[kept]
    width = np.where(limits[:, 1] > limits[:, 0], limits[:, 1] - limits[:, 0], 1.0)
    true = (truth.values(columns, rows) - limits[:, 0]) / width
    own = view.knowledge.features
    guessed = _spread(guess, guess.units, columns, rows)
    score = score_features(
        guessed,
        true,
        _attributes(view, columns),
        without_messages={kind: _spread(guess, units, columns, rows) for kind, units in guess.without_messages.items()},
        own=own[rows] if own.shape[1] else None,
        confidences=_released(view, rows),
        notes={**guess.notes, **guessed_branches(guessed, columns, truth, view, rows)},
    )
    return replace(score, bounds=_bounds(guess, true, columns, rows))


def _attributes(view: View, columns: tuple[tuple[str, str], ...]) -> list[str]:
    """Return the attribute that each encoded column belongs to."""
    others = view.knowledge.others.items()
    known = {
        (party, name): whole for party, one in others for name, whole in zip(one.names, one.attributes, strict=False)
    }
    return [known.get((party, name), name) for party, name in columns]


def score_branch_guess(guess: BranchGuess, truth: Truth, rows: Rows) -> Score:
    """Score the guessed path of every row that one was guessed for."""
    known = np.flatnonzero(np.isin(guess.rows, rows))
    return score_branches(guess, truth.values(guess.branches.targets, guess.rows), known)


def _bounds(
    guess: FeatureGuess, true: Matrix, columns: tuple[tuple[str, str], ...], rows: Rows
) -> dict[str, dict[str, float]]:
    """Say what solving equations was worth beforehand, and how far off it can be where nothing was rounded."""
    if "equations" not in guess.notes:
        return {}
    facts = {name: guess.notes[name] for name in ("equations", "unknown", "rank", "exact")}
    if not guess.notes["last_digit"]:  # the truth does not solve rounded equations, so nothing bounds the error
        named = np.array([column in guess.columns for column in columns], dtype=np.bool_)
        solved = np.ix_(np.isin(rows, guess.rows), named)
        centers = [_spread(guess, units, columns, rows)[solved] for units in guess.without_messages.values()]
        facts["mse_bound"] = (
            nearest_in_box_bound(true[solved], centers[0] if centers else HALF)
            if "inside_box" in guess.notes
            else nearest_to_zero_bound(true[solved])
        )
    return {"equality_solving": facts}


def _spread(guess: FeatureGuess, units: Matrix, columns: tuple[tuple[str, str], ...], rows: Rows) -> Matrix:
    """Lay guessed values out over all rows and columns that are scored."""
    laid = np.full((len(rows), len(columns)), HALF)
    _, scored, guessed = np.intersect1d(rows, guess.rows, assume_unique=True, return_indices=True)
    place = {column: number for number, column in enumerate(guess.columns)}
    for number, column in enumerate(columns):
        if column in place:
            laid[scored, number] = units[guessed, place[column]]
    return laid


def _released(view: View, rows: Rows) -> Matrix | None:
    """Return the confidences that were released for these rows; None unless there are some for each."""
    held: dict[int, Array] = {}
    for message in view.messages:
        if message.kind is Kind.PREDICTION:
            held.update(zip(message.rows.tolist(), message.payload["confidence"], strict=True))
    return np.stack([held[row] for row in rows.tolist()]) if all(row in held for row in rows.tolist()) else None
