"""A guess against the truth."""

from seepage.attacks.blind import blind_clusters
from seepage.guesses import Guess, LabelGuess
from seepage.randomness import stream
from seepage.scores import Score, score_labels
from seepage.shapes import Labels
from seepage.views import View


def score_guess(guess: Guess, truth: Labels, view: View, seed: int) -> Score:
    """Score what an attack claims beside what its adversary could have claimed blindly."""
    if isinstance(guess, LabelGuess):
        clusters = blind_clusters(view, stream(seed, "blind"))
        return score_labels(guess, truth, view.knowledge.train, view.agreement.classes, clusters)
    raise TypeError(f"there is no score for a {type(guess).__name__}")
