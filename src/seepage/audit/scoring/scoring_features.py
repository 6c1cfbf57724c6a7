"""Guessed values and branches against the true columns."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from seepage.attacks.steps.values.proven_bounds import indicator_groups, summing_to_one
from seepage.attacks.steps.values.regression import regressed
from seepage.audit.scoring.guessed_branches import guessed_branches
from seepage.audit.scoring.truth import Truth
from seepage.guesses import BranchGuess, FeatureGuess, Guess
from seepage.learners.clustering import without_gaps
from seepage.messages import Kind
from seepage.scores import Score
from seepage.scores.bounds.equality_solving import nearest_in_box_bound, nearest_to_zero_bound
from seepage.scores.branches import score_branches
from seepage.scores.features import HALF, score_features
from seepage.scores.twins import Twins
from seepage.shapes import Array, Matrix, Rows
from seepage.views import View
from seepage.views.joint_columns import RangedColumns, lacked_columns

BY_COLUMNS: Final = "own columns and known values"
BY_LABELS: Final = "own columns, labels and known values"
BY_MEAN: Final = "mean of known values"
FROM_VALUES: Final = (BY_COLUMNS, BY_LABELS, BY_MEAN)
"""What known rows tell of others, by what is learned from."""


def feature_twins(guess: FeatureGuess, view: View, rows: Rows) -> Twins:
    """Return what known rows tell of the columns and rows that are scored, without any message."""
    lacked = _asked(guess, view)
    beside = _from_known_values(view, lacked, view.knowledge.new) if _speaks_of_new(guess, view, rows) else {}
    return Twins(_from_known_values(view, lacked, rows), beside)


def score_feature_guess(guess: FeatureGuess, twins: Twins, truth: Truth, view: View, rows: Rows) -> Score:
    """Score what a guess says of some rows and, where it speaks of rows outside training too, of those beside."""
    score = _scored(guess, twins.scored, truth, view, rows)
    if not _speaks_of_new(guess, view, rows):
        return score
    beside = _scored(guess, twins.beside, truth, view, view.knowledge.new)
    return replace(score, other={**score.other, "mse_new": beside.value, "blind_new": beside.blind})


def _speaks_of_new(guess: FeatureGuess, view: View, rows: Rows) -> bool:
    new = view.knowledge.new
    return not np.array_equal(rows, new) and bool(np.isin(guess.rows, new).any())


def _asked(guess: FeatureGuess, view: View) -> RangedColumns:
    """Return the columns that are scored: all that the adversary lacks, or those that it was asked for."""
    lacked = lacked_columns(view)
    return lacked.only(guess.columns) if guess.chosen else lacked


def _scored(guess: FeatureGuess, twins: Mapping[str, Guess], truth: Truth, view: View, rows: Rows) -> Score:
    """Score all columns that the adversary lacks, or those it was asked for, over all rows but those it knew.

    Where the guess says nothing about a row or a column, what the adversary would
    have guessed without any message stands in: a prediction that was withheld,
    or a column that no model reads, is no protection from a constant.
    """
    rows = np.setdiff1d(rows, view.knowledge.value_rows)
    lacked = _asked(guess, view)
    true = lacked.units(truth.values(lacked.columns, rows))
    constants = _constants(lacked, view)
    instead = list(constants.values())[-1] if constants else lacked.middle
    blind = {kind: np.broadcast_to(units, true.shape) for kind, units in constants.items()}
    blind |= {kind: one.units for kind, one in twins.items() if isinstance(one, FeatureGuess)}
    guessed = _spread(guess, guess.units, lacked, rows, instead)
    own = view.knowledge.features
    score = score_features(
        guessed,
        true,
        lacked.attributes,
        without_messages=blind,
        own=own[rows] if own.shape[1] else None,
        confidences=_released(view, rows),
        notes={**guess.notes, **guessed_branches(guessed, lacked.columns, truth, view, rows)},
        chosen=guess.chosen,
    )
    return replace(score, bounds=_bounds(guess, true, lacked, rows, instead))


def _constants(lacked: RangedColumns, view: View) -> dict[str, Matrix]:
    """Return constants that need no message and may do better than ½, the best informed last.

    The even guess is 1/k for each of the k indicators of one attribute, and 0 where a range holds one value.
    """
    constants: dict[str, Matrix] = {}
    if (lacked.middle != HALF).any():
        constants["even guess"] = lacked.middle
    means = lacked.known_means(view)
    if means is not None:
        constants["known mean"] = means
    return constants


def _from_known_values(view: View, lacked: RangedColumns, rows: Rows) -> dict[str, FeatureGuess]:
    """Return what the known rows alone tell of others: by the learner of the attacks, without any message.

    It learns from own columns, and from the labels too where the adversary has them: of training rows.
    Indicators of one attribute add up to one, as everybody knows.
    """
    knowledge = view.knowledge
    seen, rows = knowledge.value_rows, np.setdiff1d(rows, knowledge.value_rows)
    if not len(seen) or not lacked.columns:
        return {}
    places = [(party, knowledge.others[party].names.index(name)) for party, name in lacked.columns]
    values = np.stack([knowledge.values[party][:, place] for party, place in places], axis=1).astype(np.float64)
    told = ~np.isnan(values).all(axis=0)
    units = np.where(told, without_gaps(lacked.units(values)), lacked.middle)  # nothing was learned of the others
    inputs = {BY_COLUMNS: without_gaps(knowledge.features.astype(np.float64))}
    own = knowledge.own.get(view.agreement.active)
    if own is not None and own.labels is not None and np.isin(rows, knowledge.train).all():
        columns = inputs[BY_COLUMNS]
        inputs[BY_LABELS] = np.hstack((columns, np.eye(view.agreement.classes)[own.labels]))
    groups = indicator_groups(lacked.attributes, Counter(lacked.attributes), units)
    found = {
        kind: summing_to_one(regressed(columns[seen], units, columns[rows])[0], groups)
        for kind, columns in inputs.items()
        if columns.shape[1]
    }
    found[BY_MEAN] = np.tile(np.clip(units.mean(axis=0), 0.0, 1.0), (len(rows), 1))
    return {kind: FeatureGuess(rows, lacked.columns, told) for kind, told in found.items()}


def score_branch_guess(guess: BranchGuess, truth: Truth, rows: Rows) -> Score:
    """Score the guessed path of every row that one was guessed for."""
    known = np.flatnonzero(np.isin(guess.rows, rows))
    return score_branches(guess, truth.values(guess.branches.targets, guess.rows), known)


def _bounds(
    guess: FeatureGuess, true: Matrix, lacked: RangedColumns, rows: Rows, center: Matrix
) -> dict[str, dict[str, float]]:
    """Say what solving equations was worth beforehand, and how far off it can be where nothing was rounded."""
    if "equations" not in guess.notes:
        return {}
    facts = {name: guess.notes[name] for name in ("equations", "unknown", "rank", "exact")}
    if not guess.notes["last_digit"]:  # the truth does not solve rounded equations, so nothing bounds the error
        named = np.array([column in guess.columns for column in lacked.columns], dtype=np.bool_)
        solved = true[np.ix_(np.isin(rows, guess.rows), named)]
        facts["mse_bound"] = (
            nearest_in_box_bound(solved, center[named])
            if "inside_box" in guess.notes
            else nearest_to_zero_bound(solved)
        )
    return {"equality_solving": facts}


def _spread(guess: FeatureGuess, units: Matrix, lacked: RangedColumns, rows: Rows, instead: Matrix) -> Matrix:
    """Lay guessed values out over all rows and columns that are scored."""
    laid = np.tile(instead, (len(rows), 1))
    _, scored, guessed = np.intersect1d(rows, guess.rows, assume_unique=True, return_indices=True)
    place = {column: number for number, column in enumerate(guess.columns)}
    for number, column in enumerate(lacked.columns):
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
