"""Guessed values and branches against the true columns."""

import numpy as np

from seepage.audit.truth import Truth
from seepage.guesses import BranchGuess, FeatureGuess
from seepage.messages import Kind
from seepage.scores import Score
from seepage.scores.branches import score_branches
from seepage.scores.features import HALF, score_features
from seepage.shapes import Array, Matrix, Rows
from seepage.views import View
from seepage.views.joint_columns import unknown_columns


def score_feature_guess(guess: FeatureGuess, truth: Truth, view: View, rows: Rows) -> Score:
    """Score all columns that the adversary lacks, over all rows.

    Where the guess says nothing about a row or a column, ½ stands in: a
    prediction that was withheld, or a column that no model reads, is no protection
    from a constant.
    """
    columns, limits = unknown_columns(view)
    width = np.where(limits[:, 1] > limits[:, 0], limits[:, 1] - limits[:, 0], 1.0)
    true = (truth.values(columns, rows) - limits[:, 0]) / width
    own = view.knowledge.features
    return score_features(
        _spread(guess, guess.units, columns, rows),
        true,
        [name for _, name in columns],
        without_messages={kind: _spread(guess, units, columns, rows) for kind, units in guess.without_messages.items()},
        own=own[rows] if own.shape[1] else None,
        confidences=_released(view, rows),
        notes=guess.notes,
    )


def score_branch_guess(guess: BranchGuess, truth: Truth, rows: Rows) -> Score:
    """Score the guessed path of every row that one was guessed for."""
    known = np.flatnonzero(np.isin(guess.rows, rows))
    return score_branches(guess, truth.values(guess.branches.columns, guess.rows), known)


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
