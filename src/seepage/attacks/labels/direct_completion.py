"""From labels that were read off gradients to labels of everybody else."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.checks import check_choice
from seepage.errors import IncompatibleView
from seepage.guesses import LabelGuess
from seepage.learners.clustering import without_gaps
from seepage.learners.column_classifiers import best_told
from seepage.learners.completion.completing import completed_as_asked
from seepage.learners.completion.mixmatch import BOTTOM_LEARNING_RATE, BottomKind, MixMatch, check_bottom
from seepage.views import Needs, View
from seepage.views.labelled_rows import read_labels
from seepage.views.own_bottoms import OwnBottoms, own_bottoms

LearnedFrom: TypeAlias = Literal["auto", "columns", "outputs"]


@dataclass(frozen=True, kw_only=True)
class DirectCompletion(Attack[LabelGuess]):
    """Learn from labels that another attack read, to label rows outside training.

    Gradients give away the labels of training rows only. With those as the labelled set, the
    bottom model is completed, and labels any row of which the adversary has its own
    columns (§3.5 of [1]_, last paragraph). With hundreds of labels its own columns alone serve as well
    or better, so that by default classifiers on those learn where the bottom model reads plain columns.

    Parameters
    ----------
    labels
        The attack that reads the labels of training rows, by its name in the
        catalog. It is run first, with its default settings, on the same view.
    inputs
        What is learned from. ``columns``: logistic regression or trees on own columns, whichever tells held-out
        rows better; ``outputs``: the bottom model is completed, as in [1]_; ``auto``: columns, unless the bottom model
        is a convolution or reads words, is to be tuned (`bottom`), or a `learner` is given.
    bottom
        ``frozen``: the bottom model stays as it is; ``tuned``: it learns on; ``auto``: as the rows whose
        label was read tell, which it was trained on.
    bottom_learning_rate
        The rate at which it learns on.
    learner
        How long and how MixMatch learns (`seepage.learners.completion.mixmatch.MixMatch`). None takes up to 2,000 steps
        under a frozen bottom model, for as long as the loss on the labelled rows falls, and 300 under a tuned one.

    Notes
    -----
    After `gradient-sign` no label is known beforehand, so that a blind guess is the largest
    class, or k-means on own columns under the best matching; after `gradient-direction` a few
    are, and learn along. Rows from which the other attack abstains are
    left out. The rows to be labelled are what is learned from without a label. The bottom model
    was trained on all rows whose label was read, so halves of them say little about rows that
    it never met; it stays frozen unless asked otherwise.

    References
    ----------
    .. [1] C. Fu et al., "Label Inference Attacks Against Vertical Federated
       Learning", USENIX Security 2022.
    """

    name = "direct-completion"
    steals = "labels"
    rows = "new"

    labels: str = "gradient-sign"
    inputs: LearnedFrom = "auto"
    bottom: BottomKind = "frozen"
    bottom_learning_rate: float = BOTTOM_LEARNING_RATE
    learner: MixMatch | None = None

    def __post_init__(self) -> None:
        check_bottom(self.bottom, self.bottom_learning_rate)
        check_choice(LearnedFrom, inputs=self.inputs)
        if self.inputs == "columns" and (self.bottom != "frozen" or self.learner is not None):
            raise ValueError("inputs=columns learns from own columns alone, so bottom and learner do not go with it")
        if self.labels == self.name:
            raise ValueError(f"labels must be another attack on labels, got {self.labels}")

    @property
    def needs(self) -> Needs:
        """The own bottom model at the end of training, and a guess of the labels of training rows."""
        return Needs(passive=True, bottom=True, labels_from=self.labels)

    def run(self, view: View, rng: Generator) -> LabelGuess:
        """Label every row outside training."""
        bottoms, rows = own_bottoms(view), read_labels(view)
        if len(asked := bottoms.asked(rows.asked)) < len(rows.asked):
            if not len(asked):
                raise IncompatibleView(
                    "Of no row outside training it was recorded what the own bottom model answers.\n"
                    "Record that for all rows of the party."
                )
            rows = replace(rows, unlabelled=asked, asked=asked)
        classes, rate = view.agreement.classes, self.bottom_learning_rate
        if self._by_columns(bottoms):
            columns = without_gaps(np.asarray(bottoms.features, dtype=np.float64))
            scores = best_told(columns[rows.known], rows.labels, columns[rows.asked], classes, rng)
            return LabelGuess(rows=rows.asked, scores=scores)
        return completed_as_asked(bottoms, rows, classes, self.bottom, rate, self.learner, rng)

    def _by_columns(self, bottoms: OwnBottoms) -> bool:
        """Whether own columns are learned from, rather than what the bottom model makes of them."""
        if self.inputs != "auto":
            return self.inputs == "columns"
        return bottoms.read_apart and self.bottom == "frozen" and self.learner is None
