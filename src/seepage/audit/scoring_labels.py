"""Labels learned from a few known ones against the truth, and against what own columns tell."""

import numpy as np

from seepage.audit.once import Once
from seepage.audit.truth import Truth
from seepage.guesses import LabelGuess
from seepage.scores import Score
from seepage.scores.known_labels import score_known_labels
from seepage.shapes import Rows
from seepage.views import View
from seepage.views.label_twins import informed_labels, informed_probe
from seepage.views.own_bottoms import own_bottoms


def score_completed_labels(guess: LabelGuess, truth: Truth, view: View, once: Once) -> Score:
    """Score labels of rows inside and outside training; known ones are left out.

    Rows that the guess says nothing about count as wrong.
    """
    knowledge = view.knowledge
    guess = about(guess, np.concatenate((np.setdiff1d(knowledge.train, knowledge.known_rows), knowledge.new)))
    key = ("informed labels", view.adversaries, guess.rows.tobytes())
    informed = once.of(
        key,
        lambda: (
            informed_labels(own_bottoms(view), truth.labels, knowledge.train, guess.rows, view),
            informed_probe(truth.labels, knowledge.train, guess.rows, view),
        ),
    )
    return score_known_labels(guess, truth.labels, knowledge.train, knowledge.new, view.agreement.classes, informed)


def about(guess: LabelGuess, rows: Rows) -> LabelGuess:
    """Return what a guess says about these rows, and about no others; it abstains from rows that it leaves out.

    >>> guess = LabelGuess(np.array([4, 7]), np.array([[0.1, 0.9], [0.8, 0.2]]))
    >>> about(guess, np.array([7, 9])).labels
    array([ 0, -1])
    """
    if np.array_equal(guess.rows, rows):
        return guess
    order = np.argsort(guess.rows)
    place = order[np.searchsorted(guess.rows[order], rows).clip(max=len(order) - 1)]
    silent = guess.rows[place] != rows
    return LabelGuess(
        rows=rows,
        scores=guess.scores[place],
        abstained=silent | guess.abstained[place],
        steps={name: np.where(silent, -1, labels[place]) for name, labels in guess.steps.items()},
        notes=guess.notes,
        without_messages={how: scores[place] for how, scores in guess.without_messages.items()},
    )
