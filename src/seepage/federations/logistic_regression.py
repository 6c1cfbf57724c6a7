"""Logistic regression whose weights lie with the parties."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import torch
from torch import Tensor

from seepage.checks import check_counts, check_not_negative
from seepage.federations.bottom import MakeOptimizer
from seepage.federations.federation import agreed
from seepage.federations.network_training import NetworkFederation, NetworkSetup
from seepage.federations.training_settings import NETWORK_SEAMS, check_numbers
from seepage.hooks import Seam
from seepage.messages import NETWORK_KINDS, WEIGHTED_KINDS, ModelKind
from seepage.networks.architectures import Dense
from seepage.networks.backbones import refuse_names
from seepage.networks.heads import Sum
from seepage.networks.losses import CrossEntropy
from seepage.networks.nesterov import AcceleratedGradient
from seepage.partition import OwnPart
from seepage.transcript import Agreement


@dataclass(frozen=True, kw_only=True)
class LogisticRegression(NetworkFederation):
    r"""Each party holds the weights of its own columns; the active party adds an intercept.

    Minimizes, with a sigmoid for two classes and a softmax for more,

    .. math:: \frac{1}{n} \sum_i L(x_i, y_i) + \frac{\lambda}{2n} \lVert w \rVert^2,

    which is scikit-learn's problem with :math:`\lambda = 1/C`, in float64, over
    all training rows at once. Every party steps on its own block with step size

    .. math:: s_k = \Bigl( (K + 1) \, h \, \lambda_{\max}(X_k^\top X_k / n) + \lambda / n \Bigr)^{-1},

    where *h* is ¼ for a sigmoid and ½ for a softmax: the curvature of the joint
    problem is at most that of its :math:`K + 1` blocks added up, so nobody has to
    know anybody else's columns to choose a step that converges. Class weights
    make *h* as many times larger as the heaviest row weighs more than the mean,
    which only the active party knows: it says *h* in a message of kind ``curvature``
    before the first step, and with two classes that gives away how rare the rarer one is.

    Parameters
    ----------
    l2
        :math:`\lambda`, the weight of the penalty; the intercept is free of it.
    epochs
        The most passes over the training rows.
    tolerance
        Training ends when no logit moves by more than this in one pass.
    class_weights
        Whether every class weighs the same in the loss.
    device
        ``cpu`` or ``cuda``.
    """

    name = "logistic-regression"
    # There are no hidden units, and steps fit no loss but its own.
    offers = NETWORK_SEAMS - {Seam.ARCHITECTURE, Seam.MODEL, Seam.LOSS, Seam.RECEIVED_LOSS}

    l2: float = 1.0
    epochs: int = 200
    tolerance: float = 1e-4
    class_weights: bool = False
    device: str = "cpu"

    def __post_init__(self) -> None:
        check_counts(epochs=self.epochs)
        check_not_negative(l2=self.l2, tolerance=self.tolerance)

    def check(self, part: OwnPart) -> None:
        """Refuse a party's own part that this cannot be trained on."""
        check_numbers(part, self.device)
        refuse_names(part)

    def terms(self, parties: tuple[str, ...], classes: int) -> Agreement:
        """Return the public terms."""
        outputs = 1 if classes == 2 else classes
        kinds = WEIGHTED_KINDS if self.class_weights else NETWORK_KINDS
        return agreed(self, parties, classes, outputs=outputs, model=ModelKind.LINEAR, top_model=False, kinds=kinds)

    def setup(self, terms: Agreement) -> NetworkSetup:
        """Return what every party builds and how it learns: until nothing moves any more."""
        blocks = len(terms.parties) + 1
        stepping = partial(AcceleratedGradient, curvature=CrossEntropy(terms.outputs).sharpest)

        def optimizer(part: OwnPart) -> MakeOptimizer:
            columns = part.features[part.rows].astype(np.float64)
            largest = float(np.linalg.eigvalsh(columns.T @ columns / len(columns))[-1])
            decay = self.l2 / len(columns)
            return partial(stepping, extent=blocks * largest, weight_decay=decay)

        return NetworkSetup(
            architecture=lambda part: Dense(part.width, (), terms.outputs, bias=False),
            head=lambda _: Sum(terms.outputs, intercept=True),
            optimizer=optimizer,
            head_optimizer=partial(stepping, extent=blocks),
            epochs=self.epochs,
            batch=None,
            class_weights=self.class_weights,
            device=self.device,
            dtype=torch.float64,
            announces_curvature=self.class_weights,
            converged=Settled(self.tolerance).after,
        )


@dataclass
class Settled:
    """Remembers the last logits and says when they have stopped moving.

    >>> settled = Settled(0.1)
    >>> [settled.after(torch.tensor([value])) for value in (1.0, 0.5, 0.45)]
    [False, False, True]
    """

    tolerance: float
    last: Tensor | None = field(default=None, repr=False)

    def after(self, logits: Tensor) -> bool:
        """Compare with the pass before."""
        before, self.last = self.last, logits
        return before is not None and bool((logits - before).abs().max() <= self.tolerance)
