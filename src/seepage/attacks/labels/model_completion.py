"""Complete the own bottom model into one that tells labels."""

from dataclasses import dataclass

from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.checks import check_counts
from seepage.guesses import LabelGuess
from seepage.learners.completion.completing import complete_as_granted
from seepage.learners.completion.mixmatch import (
    BOTTOM_LEARNING_RATE,
    LABELS_PER_CLASS,
    BottomKind,
    MixMatch,
    check_bottom,
)
from seepage.views import Needs, View


@dataclass(frozen=True, kw_only=True)
class ModelCompletion(Attack[LabelGuess]):
    r"""Put a head on the own trained bottom model and complete it: the passive attack of paper 001.

    Gradients have taught the adversary's bottom model :math:`f` to tell classes
    apart (§3.3 of [1]_). An inference head :math:`h` with first weights goes on top,
    and the complete model :math:`h \circ f` learns from a few labelled rows and from
    all other training rows without a label, by MixMatch without augmentation
    (Algorithms 4 and 5),

    .. math:: \mathcal{L} = \mathcal{L}_\mathcal{X} + \lambda_\mathcal{U} \mathcal{L}_\mathcal{U}

    (Eq. 5 to 7). It labels training rows, and rows that took no part in training:
    the adversary's own columns are all it takes.

    Parameters
    ----------
    labels_per_class
        How many labelled training rows of each class the adversary knows.
    bottom
        ``frozen``: the bottom model stays as it is, as in the authors' code; ``tuned``: it learns on, as
        the paper says; ``auto``: frozen, unless two halves of 20 labelled rows or more say that tuning helps.
    bottom_learning_rate
        The rate at which it learns on. At the head's rate it forgets.
    learner
        How long and how MixMatch learns (`seepage.learners.completion.mixmatch.MixMatch`). None takes up to 2,000 steps
        under a frozen bottom model, for as long as the loss on the labelled rows falls, and 300 under a tuned one.

    Notes
    -----
    Logistic regression on the bottom model's outputs is scored beside
    (`top1_linear_probe`), and so are the labels after every epoch where that is asked for
    (`learner.every_epoch`: `top1_epoch_1` …). The epoch that counts is the one with the
    least loss on the labelled rows; the authors report the one that is best on the
    true labels of all rows. Their optimizer never holds the bottom model, though
    the paper has the whole model fine-tuned. Labelled rows are not scored.

    The head is batch normalization and a linear layer with PyTorch's first
    weights; in the authors' code a ReLU lies between and weights begin at one.
    Averaged weights follow faster at the beginning, so that a fraction of the published 10,240
    or more iterations is enough. How many is told by the labelled rows: a head on a frozen bottom model is
    too small to learn them by heart, so that a loss that no longer falls says that the unlabelled rows have taken over.

    References
    ----------
    .. [1] C. Fu et al., "Label Inference Attacks Against Vertical Federated
       Learning", USENIX Security 2022.
    """

    name = "model-completion"
    steals = "labels"
    rows = "train"

    labels_per_class: int = LABELS_PER_CLASS
    bottom: BottomKind = "auto"
    bottom_learning_rate: float = BOTTOM_LEARNING_RATE
    learner: MixMatch | None = None

    def __post_init__(self) -> None:
        check_counts(labels_per_class=self.labels_per_class)
        check_bottom(self.bottom, self.bottom_learning_rate)

    @property
    def needs(self) -> Needs:
        """The own bottom model at the end of training, and a few labels."""
        return Needs(passive=True, bottom=True, labels_per_class=self.labels_per_class)

    def run(self, view: View, rng: Generator) -> LabelGuess:
        """Label every row that is not labelled yet."""
        return complete_as_granted(view, self.bottom, self.bottom_learning_rate, self.learner, rng)
