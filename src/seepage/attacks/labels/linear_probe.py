"""Read labels off the own bottom model's outputs with a straight line."""

from dataclasses import dataclass, replace

from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.checks import check_counts
from seepage.guesses import LabelGuess
from seepage.learners.completion.completing import probed_outputs
from seepage.learners.completion.mixmatch import LABELS_PER_CLASS, MixMatch
from seepage.views import Needs, View
from seepage.views.labelled_rows import granted_labels
from seepage.views.own_bottoms import own_bottoms


@dataclass(frozen=True, kw_only=True)
class LinearProbe(Attack[LabelGuess]):
    r"""Fit logistic regression to the own bottom model's outputs of a few labelled rows, and read off the rest.

    The bottom model :math:`f` has learned to tell classes apart (§3.3 of [1]_). If it did
    that well, a straight line through its outputs is enough:

    .. math:: p(y \mid x) = \mathrm{softmax}(W f(x) + b)

    with :math:`W, b` fitted to the labelled rows alone. It takes a moment, has nothing to tune,
    and is often as good as completing the model.

    Parameters
    ----------
    labels_per_class
        How many labelled training rows of each class the adversary knows.
    learner
        How the blind twin without a trained bottom model learns: see `seepage.learners.completion.mixmatch.MixMatch`.

    Notes
    -----
    The attack is not in the paper. Outputs are standardized by the labelled rows,
    and coefficients have scikit-learn's default penalty. Labelled rows are not scored.

    References
    ----------
    .. [1] C. Fu et al., "Label Inference Attacks Against Vertical Federated
       Learning", USENIX Security 2022.
    """

    name = "linear-probe"
    steals = "labels"
    rows = "train"

    labels_per_class: int = LABELS_PER_CLASS
    learner: MixMatch = MixMatch()

    def __post_init__(self) -> None:
        check_counts(labels_per_class=self.labels_per_class)

    @property
    def needs(self) -> Needs:
        """The own bottom model at the end of training, and a few labels."""
        return Needs(passive=True, bottom=True, labels_per_class=self.labels_per_class)

    def run(self, view: View, rng: Generator) -> LabelGuess:
        """Label every row that is not labelled yet."""
        del rng  # nothing here is random
        bottoms, rows = own_bottoms(view), granted_labels(view)
        rows = replace(rows, asked=bottoms.asked(rows.asked))
        return LabelGuess(rows.asked, probed_outputs(bottoms, rows, view.agreement.classes))
