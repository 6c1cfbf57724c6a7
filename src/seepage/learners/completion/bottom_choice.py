"""Whether a bottom model should learn on when it is completed, told by the labelled rows."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import Generator

from seepage.errors import IncompatibleView
from seepage.guesses import LabelGuess
from seepage.learners.completion.labels import TINY, completed_labels, learned
from seepage.learners.completion.settings import FROZEN, TUNED, BottomKind
from seepage.shapes import Array, Labels, Rows
from seepage.views.labelled_rows import LabelledRows
from seepage.views.own_bottoms import OwnBottoms

if TYPE_CHECKING:
    from seepage.learners.completion.mixmatch import MixMatch

ENOUGH: Final = 20
"""Fewer labelled rows cannot tell."""
DEVIATIONS: Final = 2.0
"""So many standard errors below the loss under a frozen bottom model is better, less is chance."""
TUNED_NOTE: Final = "tuned"


def completed_as_asked(
    bottoms: OwnBottoms,
    rows: LabelledRows,
    classes: int,
    bottom: BottomKind,
    bottom_learning_rate: float,
    learner: "MixMatch | None",
    rng: Generator,
) -> LabelGuess:
    """Complete the trained bottom models, frozen or tuned, and label all rows asked about.

    Parameters
    ----------
    bottom
        ``frozen``, ``tuned``, or ``auto``: frozen unless `tuning_helps`.
    learner
        How MixMatch learns; None takes the learner that is made for frozen or for tuned bottom models.
    """
    choosing, learning = rng.spawn(2)
    tuned = bottom == "tuned" or (
        bottom == "auto" and tuning_helps(bottoms, rows, classes, bottom_learning_rate, choosing, learner or TUNED)
    )
    chosen = learner if learner is not None else TUNED if tuned else FROZEN
    rate = bottom_learning_rate if tuned else 0.0
    guess = completed_labels(bottoms, bottoms.trained(), rows, classes, chosen, rate, learning)
    return replace(guess, notes={**guess.notes, TUNED_NOTE: float(tuned)})


def tuning_helps(
    bottoms: OwnBottoms,
    rows: LabelledRows,
    classes: int,
    bottom_learning_rate: float,
    rng: Generator,
    learner: "MixMatch" = TUNED,
) -> bool:
    """Tell from the labelled rows whether a bottom model that learns on tells others better.

    They are dealt into two halves, class by class. Each half is told by models that learned from the other as
    `learner` says, under a frozen and under a tuned bottom model. Tuning must be better by more than two standard
    errors of the differences, row by row: a frozen model cannot forget what the federation taught it.
    """
    halves = _halves(rows.labels, rng)
    if len(rows.known) < ENOUGH or any(len(np.unique(rows.labels[half])) < 2 for half in halves):
        return False
    tasks = [
        LabelledRows(rows.known[learn], rows.labels[learn], rows.unlabelled, rows.known[tell])
        for learn, tell in (halves, halves[::-1])
    ]
    told = rows.labels[np.concatenate(halves[::-1])]
    seed = rng.integers(2**63)  # both begin from the same head and the same batches
    try:
        frozen, tuned = (
            _losses(bottoms, tasks, told, classes, learner, rate, np.random.default_rng(seed))
            for rate in (0.0, bottom_learning_rate)
        )
    except IncompatibleView:  # what diverges helps nobody
        return False
    gain = frozen - tuned
    return bool(gain.mean() > DEVIATIONS * gain.std(ddof=1) / np.sqrt(len(gain)))


def _losses(
    bottoms: OwnBottoms,
    tasks: list[LabelledRows],
    told: Labels,
    classes: int,
    learner: "MixMatch",
    rate: float,
    rng: Generator,
) -> Array:
    """Return the loss of each row under the model that learned from the other half."""
    found = learned(bottoms, bottoms.trained(), tasks, classes, learner, rate, rng)
    scores = np.concatenate([one.scores for one in found])
    return np.asarray(-np.log(np.maximum(scores[np.arange(len(told)), told], TINY)), dtype=np.float64)


def _halves(labels: Labels, rng: Generator) -> tuple[Rows, Rows]:
    """Deal places into two halves with as many of each class, up to one; which of them gets more, takes turns."""
    shuffled = rng.permutation(len(labels))
    ordered = shuffled[np.argsort(labels[shuffled], kind="stable")]
    return ordered[::2], ordered[1::2]
