"""How many branches of a tree were guessed rightly, and what that is worth."""

from seepage.guesses import BranchGuess
from seepage.scores.score import Score
from seepage.shapes import Matrix, Rows


def score_branches(guess: BranchGuess, truth: Matrix, scored: Rows) -> Score:
    """Score guessed paths."""
    raise NotImplementedError
