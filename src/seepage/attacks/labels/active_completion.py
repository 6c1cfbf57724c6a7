"""Speed the own bottom model up during training, then complete it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from numpy.random import Generator

from seepage.attacks.attack import AFTER_TRAINING, Attack, BeginTampering
from seepage.attacks.steps.tampering.acceleration import Acceleration
from seepage.checks import check_counts
from seepage.guesses import LabelGuess
from seepage.hooks import Tampering
from seepage.learners.completion.completing import complete_as_granted
from seepage.learners.completion.mixmatch import (
    BOTTOM_LEARNING_RATE,
    LABELS_PER_CLASS,
    BottomKind,
    MixMatch,
    check_bottom,
)
from seepage.views import Knowledge, Needs, View

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from seepage.attacks.steps.tampering.malicious_optimizer import MaliciousOptimizer


@dataclass(frozen=True, kw_only=True)
class ActiveCompletion(Attack[LabelGuess]):
    r"""Train the own bottom model with a malicious optimizer, then complete it: the active attack of paper 001.

    In training the adversary scales each step of its own parameters by

    .. math:: r = \min\left(r_{max}, \max\left(r_{min}, 1 + \gamma \frac{v}{v_{last}}\right)\right)

    element by element (Algorithm 1 of [1]_): faster where the direction stays,
    not faster where it turns. The joint model is to lean more on its features, and its
    bottom model to tell classes better. Afterwards it does what model completion does.

    Parameters
    ----------
    acceleration
        :math:`\gamma` (``reset``), :math:`r_{min}` (``least``), :math:`r_{max}` (``most``), and whether scaling
        compounds as in the authors' code: see `seepage.attacks.steps.tampering.acceleration.Acceleration`.
    labels_per_class
        How many labelled training rows of each class the adversary knows.
    bottom
        ``frozen``: the bottom model stays as it is; ``tuned``: it learns on; ``auto``: as labelled rows tell.
    bottom_learning_rate
        The rate at which it learns on.
    learner
        How long and how MixMatch learns (`seepage.learners.completion.mixmatch.MixMatch`). None takes up to 2,000 steps
        under a frozen bottom model, for as long as the loss on the labelled rows falls, and 300 under a tuned one.

    Notes
    -----
    Line 10 of Algorithm 1 scales the last velocity; its text and the authors' code scale the
    current one, as here. In their code the momentum buffer is scaled along, so
    that factors multiply from step to step.

    References
    ----------
    .. [1] C. Fu et al., "Label Inference Attacks Against Vertical Federated
       Learning", USENIX Security 2022, §3.4.
    """

    name = "active-completion"
    steals = "labels"
    rows = "train"

    acceleration: Acceleration = Acceleration()
    labels_per_class: int = field(default=LABELS_PER_CLASS, metadata=AFTER_TRAINING)
    bottom: BottomKind = field(default="auto", metadata=AFTER_TRAINING)
    bottom_learning_rate: float = field(default=BOTTOM_LEARNING_RATE, metadata=AFTER_TRAINING)
    learner: MixMatch | None = field(default=None, metadata=AFTER_TRAINING)

    def __post_init__(self) -> None:
        check_counts(labels_per_class=self.labels_per_class)
        check_bottom(self.bottom, self.bottom_learning_rate)

    @property
    def needs(self) -> Needs:
        """The own bottom model at the end of training, and a few labels."""
        return Needs(passive=True, bottom=True, labels_per_class=self.labels_per_class)

    @property
    def tampering(self) -> BeginTampering:
        """Use the malicious optimizer."""
        return self._begin

    def _begin(self, knowledge: Knowledge, rng: Generator) -> Tampering:
        del knowledge, rng
        return Tampering(optimizer=self._hurried)

    def _hurried(self, agreed: "Optimizer") -> "MaliciousOptimizer":
        """Wrap the malicious optimizer around the agreed one."""
        from seepage.attacks.steps.tampering.malicious_optimizer import MaliciousOptimizer

        return MaliciousOptimizer(agreed, self.acceleration)

    def run(self, view: View, rng: Generator) -> LabelGuess:
        """Label every row that is not labelled yet."""
        return complete_as_granted(view, self.bottom, self.bottom_learning_rate, self.learner, rng)
