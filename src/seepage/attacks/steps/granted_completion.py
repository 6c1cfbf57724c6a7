"""Completing a bottom model with the labels that an adversary was granted."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import Generator

from seepage.guesses import LabelGuess
from seepage.learners.completion.bottom_choice import completed_as_asked
from seepage.learners.completion.settings import BottomKind
from seepage.learners.probe import probe
from seepage.shapes import Matrix
from seepage.views.labelled_rows import LabelledRows, granted_labels
from seepage.views.own_bottoms import OwnBottoms, own_bottoms
from seepage.views.view import View

if TYPE_CHECKING:
    from seepage.learners.completion.mixmatch import MixMatch

PROBE: Final = "linear_probe"


def complete_as_granted(
    view: View, bottom: BottomKind, bottom_learning_rate: float, learner: "MixMatch | None", rng: Generator
) -> LabelGuess:
    """Complete the trained bottom model and label all other rows; the linear probe comes along."""
    bottoms, rows, classes = own_bottoms(view), granted_labels(view), view.agreement.classes
    guess = completed_as_asked(bottoms, rows, classes, bottom, bottom_learning_rate, learner, rng)
    probed = probed_outputs(bottoms, rows, classes).argmax(axis=1).astype(np.int64)
    return replace(guess, steps={**guess.steps, PROBE: probed})


def probed_outputs(bottoms: OwnBottoms, rows: LabelledRows, classes: int) -> Matrix:
    """Return the scores of logistic regression on the trained bottom model's outputs."""
    return probe(bottoms.outputs(rows.known), rows.labels, bottoms.outputs(rows.asked), classes)
