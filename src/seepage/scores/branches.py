"""How many branches of a tree were guessed rightly, and what that is worth."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seepage.guesses import Branches, BranchGuess
from seepage.scores.metrics import BRANCHING_RATE
from seepage.scores.score import Score
from seepage.shapes import Array, Mask, Matrix, Rows
from seepage.trees.whole_tree import WholeTree


@dataclass
class Tally:
    """Right turns and all turns, added up over rows."""

    right: float = 0.0
    turns: float = 0.0

    def add(self, right: Array, turns: int, weight: Array) -> None:
        """Count a path of so many turns for every row, with a weight for each."""
        self.right += float(right @ weight)
        self.turns += turns * float(weight.sum())

    @property
    def rate(self) -> float:
        """The share of right turns; 0 where no turn was claimed."""
        return self.right / self.turns if self.turns else 0.0


def score_branches(guess: BranchGuess, truth: Matrix, scored: Rows) -> Score:
    """Score guessed paths by the correct branching rate of paper 002, §VI-A.

    Of all turns at nodes of unknown columns, on the paths of all rows together,
    it is the share that the true value takes too. Blind is what a uniform choice
    is expected to get: among the leaves that own columns allow, or among all, as
    the paper has it, whichever is better. Full knowledge gets 1.

    Parameters
    ----------
    truth
        The guess's rows by the `targets` of its branches, encoded.
    scored
        The places of the rows that count.
    """
    branches = guess.branches
    left = went_left(branches, truth[scored])
    leaf, candidates, reachable = guess.leaf[scored], guess.candidates.T[:, scored], guess.reachable.T[:, scored]
    counts = np.count_nonzero(candidates, axis=0)
    fair = 1 / np.maximum(counts, 1), 1 / np.maximum(np.count_nonzero(reachable, axis=0), 1)
    chosen, expected, allowed, anywhere = Tally(), Tally(), Tally(), Tally()
    found, equal = 0, np.full(len(scored), 1 / len(branches.paths))
    for number, turns in enumerate(branches.paths):
        on = np.flatnonzero(turns)
        right = np.count_nonzero(left[on] == (turns[on] > 0)[:, None], axis=0)
        here = leaf == number
        found += int(np.count_nonzero(here & (right == len(on))))
        chosen.add(right, len(on), here)
        expected.add(right, len(on), fair[0] * candidates[number])
        allowed.add(right, len(on), fair[1] * reachable[number])
        anywhere.add(right, len(on), equal)
    rows = max(len(scored), 1)
    other = {
        "branching_rate_own_columns": allowed.rate,
        "branching_rate_any_leaf": anywhere.rate,
        "branching_rate_expected": expected.rate,
        "paths_mean": float(counts.sum()) / rows,
        "paths_one": float(np.count_nonzero(counts == 1)) / rows,
        "leaf_found": found / rows,
        **guess.notes,
    }
    blind = {"a leaf that own columns allow": allowed.rate, "any leaf": anywhere.rate}
    return Score.of(BRANCHING_RATE, chosen.rate, blind, other)


def went_left(branches: Branches, truth: Matrix) -> Mask:
    """Return which way each row would turn at every node, were it there: nodes by rows."""
    values = np.ascontiguousarray(np.asarray(truth, dtype=np.float32).T)
    left = np.zeros((len(branches.columns), len(truth)), dtype=np.bool_)
    gaps = np.isnan(values)
    for node, place in enumerate(branches.places):
        left[node] = values[place] <= np.float32(branches.thresholds[node])
        if branches.missing_left[node]:
            left[node] |= gaps[place]
    return left


def forest_branching_rate(
    trees: Sequence[WholeTree], unknown: NDArray[np.int64], guessed: Matrix, truth: Matrix
) -> float:
    """Return the correct branching rate of guessed values, over all trees together.

    Guessed rows walk down each tree. Wherever a node splits an unknown column,
    the turn is right if the true value would turn the same way. 0 where the
    trees ask for no unknown column.

    Parameters
    ----------
    unknown
        The columns that were guessed, by their place.
    guessed, truth
        Rows by all columns, as the trees read them; known columns are the same in both.

    Examples
    --------
    >>> stump = WholeTree(np.array([0, -1, -1]), np.float32([0.5, 0, 0]), np.zeros(3, bool), np.array([1, -1, -1]),
    ...                   np.array([2, -1, -1]), np.array([[0, 0], [1, 0], [0, 1.0]]), np.zeros(3, bool))
    >>> forest_branching_rate([stump], np.array([0]), np.array([[0.1], [0.9]]), np.array([[0.2], [0.3]]))
    0.5
    """
    guessed, truth = np.asarray(guessed, dtype=np.float32), np.asarray(truth, dtype=np.float32)
    asked = np.zeros(guessed.shape[1] + 1, dtype=np.bool_)  # a leaf splits column −1, which is the last place
    asked[unknown] = True
    tally = Tally()
    for tree in trees:
        rows, at = np.arange(len(guessed)), np.zeros(len(guessed), dtype=np.int64)
        while len(rows):
            inner = tree.column[at] >= 0
            rows, at = rows[inner], at[inner]
            left, true = _left(tree, at, guessed, rows), _left(tree, at, truth, rows)
            counted = asked[tree.column[at]]
            tally.add((left == true).astype(np.float64), 1, counted.astype(np.float64))
            at = np.where(left, tree.left[at], tree.right[at])
    return tally.rate


def _left(tree: WholeTree, nodes: NDArray[np.int64], columns: Matrix, rows: Rows) -> Mask:
    values = columns[rows, tree.column[nodes]]
    return np.asarray((values <= tree.threshold[nodes]) | (np.isnan(values) & tree.missing_left[nodes]))
