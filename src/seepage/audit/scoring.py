"""A guess against the truth."""

from seepage.attacks.attack import ScoredRows
from seepage.attacks.blind import blind_clusters
from seepage.guesses import Guess, LabelGuess
from seepage.randomness import stream
from seepage.scores import Score, score_labels
from seepage.shapes import Labels
from seepage.views import View


def score_guess(guess: Guess, truth: Labels, view: View, rows: ScoredRows, seed: int) -> Score:
    """Score what an attack claims beside what its adversary could have claimed blindly.

    Training rows are scored, or those that did not take part in training, as the attack says.
    """
    scored = view.knowledge.train if rows == "train" else view.knowledge.new
    if isinstance(guess, LabelGuess):
        clusters = blind_clusters(view, scored, stream(seed, "blind"))
        return score_labels(guess, truth, scored, view.agreement.classes, clusters)
    raise TypeError(f"there is no score for a {type(guess).__name__}")
