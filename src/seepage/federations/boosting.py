"""Gradient boosting whose thresholds lie with the parties."""

from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
from numpy.random import Generator
from scipy.special import expit, softmax

from seepage.checks import check_counts, check_not_negative, check_shares
from seepage.federations.federation import agreed
from seepage.federations.trees.active_party import ActiveTreeParty
from seepage.federations.trees.criterion import SecondOrder
from seepage.federations.trees.settings import GrowthSettings, SealingSettings
from seepage.federations.trees.training import TREE_SEAMS, TreeFederation, TreeSetup
from seepage.messages import TREE_KINDS, ModelKind
from seepage.settings import PART, composed
from seepage.shapes import Floats, Matrix
from seepage.transcript import Agreement
from seepage.trees.derivatives import logistic_derivatives, softmax_derivatives


@composed
@dataclass(frozen=True, kw_only=True)
class Boosting(TreeFederation):
    r"""Second-order gradient boosting, as XGBoost does it, grown level by level by all parties.

    Algorithms 1 and 2 of paper 003 [1]_ with the protocol of SecureBoost: in
    every round the active party seals the gradient and Hessian of each row;
    every passive party answers with their sums left of each of its candidates;
    the active party takes the largest gain

    .. math:: \sum_c \frac{(g^L_c)^2}{h^L_c + \lambda} + \frac{(g^R_c)^2}{h^R_c + \lambda}
        - \frac{g_c^2}{h_c + \lambda},

    tells the winner alone which of its candidates won, and is sent the
    children's rows. A leaf predicts :math:`-g / (h + \lambda)` times the
    learning rate. Derivatives are whole numbers of 2⁻³⁰, so that sums do not
    depend on their order, nor on encryption.

    Parameters
    ----------
    trees
        How many rounds.
    growth
        How far trees grow, by the keys of `GrowthSettings`: at quantiles of each node, as in the paper.
    learning_rate
        How much of its step each leaf takes.
    l2
        :math:`\lambda`, the penalty on leaf weights.
    gamma
        The least gain of a split, in XGBoost's units: the gain above, without
        the factor ½ that stands in the paper's formula. A split that gains less
        is not made, as in XGBoost's ``hist``; its ``exact`` prunes afterwards.
    least_weight
        The least Hessian that a child must have, XGBoost's
        ``min_child_weight``; where a tree has several outputs, those below it
        count for nothing in that child.
    column_sample
        The share of its columns that each party draws for each tree.
    multiclass
        With more than two classes a round is one tree with a vector of
        outputs, whose gain is summed over classes (``shared``), or one tree for
        each class (``per-class``).
    base_score
        The margin that every row starts from.
    sealing
        How derivatives are kept from those who add them up, by the keys of `SealingSettings`.

    References
    ----------
    .. [1] H. Takahashi, J. Liu and Y. Liu, "Eliminating Label Leakage in
       Tree-Based Vertical Federated Learning", 2023, §2.
    """

    name = "boosting"
    offers = TREE_SEAMS

    trees: int = 5
    growth: GrowthSettings = field(default=GrowthSettings(candidates="quantiles-per-node"), metadata=PART)
    learning_rate: float = 0.3
    l2: float = 1.0
    gamma: float = 0.0
    least_weight: float = 1.0
    column_sample: float = 0.8
    multiclass: Literal["shared", "per-class"] = "shared"
    base_score: float = 0.0
    sealing: SealingSettings = field(default=SealingSettings(), metadata=PART)

    def __post_init__(self) -> None:
        check_counts(trees=self.trees)
        check_not_negative(l2=self.l2, gamma=self.gamma, least_weight=self.least_weight)
        check_shares(column_sample=self.column_sample, learning_rate=self.learning_rate)
        if not np.isfinite(self.base_score):
            raise ValueError(f"base_score must be a finite number, got {self.base_score}")

    def terms(self, parties: tuple[str, ...], classes: int) -> Agreement:
        """Return the public terms."""
        return agreed(self, parties, classes, outputs=classes, model=ModelKind.BOOSTING, kinds=TREE_KINDS)

    def setup(self, terms: Agreement) -> TreeSetup:
        """Return how trees are grown."""
        classes, per_class = terms.classes, self._per_class(terms.classes)
        return TreeSetup(
            criterion=SecondOrder(self.l2, self.gamma, self.least_weight, self.learning_rate),
            slots=2 if classes == 2 or per_class else 2 * classes,
            combine=partial(_confidences, classes=classes, per_class=per_class, base=self.base_score),
            growth=self.growth,
            sealing=self.sealing,
            column_share=self.column_sample,
        )

    def _per_class(self, classes: int) -> bool:
        return classes > 2 and self.multiclass == "per-class"

    def grow(self, active: ActiveTreeParty, chance: Generator) -> None:
        """Boost for all rounds; nothing is drawn."""
        del chance
        classes = len(active.material.overall)
        margins = np.full((len(active.material.train), 1 if classes == 2 else classes), self.base_score)
        for round_ in range(self.trees):
            active.material.outbox.begin_round()
            _boost(active, round_, margins, per_class=self._per_class(classes))


def _boost(active: ActiveTreeParty, round_: int, margins: Floats, *, per_class: bool) -> None:
    """Grow the trees of one round and move the margins."""
    material = active.material
    rows = np.arange(len(material.train))
    if margins.shape[1] == 1:
        derivatives = logistic_derivatives(margins[:, 0], material.labels)
    else:
        derivatives = softmax_derivatives(margins, material.labels)
    wanted = range(margins.shape[1]) if per_class else [0]
    for number in wanted:
        values = np.ascontiguousarray(derivatives[:, 2 * number : 2 * number + 2]) if per_class else derivatives
        material.statistics.renew(values)
        tree = active.grow(round_, number, values, rows)
        place = np.empty(len(rows), dtype=np.int32)
        for leaf, node in enumerate(tree.values):
            place[tree.rows[node]] = leaf
        steps = np.stack(list(tree.values.values()))[place]
        if per_class:
            margins[:, number] += steps[:, 0]
        else:
            margins += steps


def _confidences(said: list[Matrix], *, classes: int, per_class: bool, base: float) -> Matrix:
    if classes == 2:
        margin = base + np.sum(said, axis=0)[:, 0]
        positive = expit(margin)
        return np.stack((1 - positive, positive), axis=1)
    if per_class:
        margins = np.concatenate([np.sum(said[number::classes], axis=0) for number in range(classes)], axis=1)
        return np.asarray(softmax(base + margins, axis=1))
    return np.asarray(softmax(base + np.sum(said, axis=0), axis=1))
