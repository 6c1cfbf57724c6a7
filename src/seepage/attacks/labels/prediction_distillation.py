"""Learn labels from the predictions that everybody is sent."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.checks import check_counts
from seepage.errors import IncompatibleView
from seepage.guesses import LabelGuess
from seepage.learners.clustering import without_gaps
from seepage.learners.column_classifiers import best_taught
from seepage.learners.completion.mixmatch import LABELS_PER_CLASS
from seepage.learners.logistic import probe_words
from seepage.shapes import Matrix, Rows
from seepage.views import Kind, Needs, View
from seepage.views.labelled_rows import granted_labels

CERTAIN: Final = 3
"""A row whose label is known counts as so many whose prediction came."""


@dataclass(frozen=True, kw_only=True)
class PredictionDistillation(Attack[LabelGuess]):
    """Teach a model on own columns what the joint model says, and ask it about training rows.

    Who is sent the predictions of new rows, and has columns of these rows, has a training set of its own: own columns,
    and what the joint model makes of all columns. Two models learn from it (logistic regression, and extremely
    randomized trees), and the one that comes nearer to confidences that were left out answers, or their mean. It then
    labels the rows that the joint model was trained on. Nothing that hides labels during training helps against it,
    as long as the joint model is any good.

    Parameters
    ----------
    labels_per_class
        How many labelled training rows of each class the adversary knows; they are learned from as well.

    Notes
    -----
    In no paper on vertical federations; models were stolen through their predictions in [1]_.

    References
    ----------
    .. [1] F. Tramèr, F. Zhang, A. Juels, M. Reiter and T. Ristenpart, "Stealing Machine Learning Models via
       Prediction APIs", USENIX Security 2016.
    """

    name = "prediction-distillation"
    steals = "labels"
    rows = "train"

    labels_per_class: int = LABELS_PER_CLASS

    def __post_init__(self) -> None:
        check_counts(labels_per_class=self.labels_per_class)

    @property
    def needs(self) -> Needs:
        """Released predictions, and a few labels."""
        return Needs(received=frozenset({Kind.PREDICTION}), passive=True, labels_per_class=self.labels_per_class)

    def run(self, view: View, rng: Generator) -> LabelGuess:
        """Label every training row that is not labelled yet."""
        rows = granted_labels(view)
        asked = np.setdiff1d(view.knowledge.train, rows.known)
        shown, confidences = _released(view)
        known = np.eye(view.agreement.classes)[rows.labels]
        learned, taught = np.concatenate((shown, rows.known)), np.concatenate((confidences, known))
        times = np.where(np.arange(len(learned)) < len(shown), 1, CERTAIN)
        own = view.knowledge.features
        if not own.shape[1]:
            raise IncompatibleView(f"Columns of {view.who} are not known, so there is nothing to learn on.")
        if view.knowledge.reads_words:
            scores = probe_words(own[learned], taught.argmax(axis=1), own[asked], view.agreement.classes)
        else:
            filled = without_gaps(np.asarray(own, dtype=np.float64))
            scores = best_taught(filled[learned], taught, times, filled[asked], rng)
        return LabelGuess(rows=asked, scores=scores, notes={"predictions": float(len(shown))})


def _released(view: View) -> tuple[Rows, Matrix]:
    """Return the rows whose predictions came, and the confidences."""
    said = [message for message in view.received(Kind.PREDICTION) if len(message.rows)]
    if not said:
        raise IncompatibleView("No prediction was released to the adversary, so there is nothing to learn from.")
    rows, first = np.unique(np.concatenate([message.rows for message in said]), return_index=True)
    return rows, np.concatenate([message.payload["confidence"] for message in said])[first]
