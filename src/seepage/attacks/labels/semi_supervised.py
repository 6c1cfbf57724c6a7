"""Learn labels from own columns, as if there had been no federation."""

from dataclasses import dataclass

from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.checks import check_counts
from seepage.guesses import LabelGuess
from seepage.learners.completion.completing import untrained_labels
from seepage.learners.completion.mixmatch import LABELS_PER_CLASS, MixMatch
from seepage.views import Needs, View
from seepage.views.labelled_rows import granted_labels
from seepage.views.own_bottoms import own_bottoms


@dataclass(frozen=True, kw_only=True)
class SemiSupervised(Attack[LabelGuess]):
    """Learn labels with a bottom model that was never trained: the baseline "direct semi" of paper 001.

    The same learner as in model completion, with the same architecture, the same
    labelled rows and the same other rows, from first weights (Table 3 of [1]_).
    What it reaches, the adversary would have reached without any federation.

    Parameters
    ----------
    labels_per_class
        How many labelled training rows of each class the adversary knows.
    learner
        How long and how MixMatch learns: see `seepage.learners.completion.mixmatch.MixMatch`.
        The bottom model learns at the same rate as the head; one that began from a
        pretrained encoder at 1e-4, so that it does not forget.

    References
    ----------
    .. [1] C. Fu et al., "Label Inference Attacks Against Vertical Federated
       Learning", USENIX Security 2022.
    """

    name = "semi-supervised"
    steals = "labels"
    role = "baseline"
    rows = "train"

    labels_per_class: int = LABELS_PER_CLASS
    learner: MixMatch = MixMatch()

    def __post_init__(self) -> None:
        check_counts(labels_per_class=self.labels_per_class)

    @property
    def needs(self) -> Needs:
        """The build of the own bottom model, and a few labels."""
        return Needs(passive=True, bottom=True, weights=False, labels_per_class=self.labels_per_class)

    def run(self, view: View, rng: Generator) -> LabelGuess:
        """Label every row that is not labelled yet."""
        del rng  # the blind twin of the other attacks draws the very same chance
        bottoms, rows = own_bottoms(view), granted_labels(view)
        return untrained_labels(bottoms, rows, view.agreement.classes, self.learner)
