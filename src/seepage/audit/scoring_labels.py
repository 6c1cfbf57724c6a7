"""Labels learned from a few known ones against the truth, and against what own columns tell."""

from seepage.audit.once import Once
from seepage.audit.truth import Truth
from seepage.guesses import LabelGuess
from seepage.scores import Score
from seepage.scores.known_labels import score_known_labels
from seepage.views import View
from seepage.views.label_twins import informed_labels, informed_probe
from seepage.views.own_bottoms import own_bottoms


def score_completed_labels(guess: LabelGuess, truth: Truth, view: View, once: Once) -> Score:
    """Score labels of rows inside and outside training; known ones are left out."""
    knowledge = view.knowledge
    key = ("informed labels", view.adversaries, guess.rows.tobytes())
    informed = once.of(
        key,
        lambda: (
            informed_labels(own_bottoms(view), truth.labels, knowledge.train, guess.rows, view),
            informed_probe(truth.labels, knowledge.train, guess.rows, view),
        ),
    )
    return score_known_labels(guess, truth.labels, knowledge.train, knowledge.new, view.agreement.classes, informed)
