"""Tamper with training so that norms say more of a property, then compare how they are spread."""

from dataclasses import dataclass, replace

from numpy.random import Generator

from seepage.attacks.attack import Attack, BeginTampering
from seepage.attacks.steps.norms.distribution_comparison import Comparison, compared_results
from seepage.checks import check_below_one, check_not_negative, check_positive, check_widths
from seepage.guesses import FractionGuess
from seepage.hooks import Tampering
from seepage.views import Auxiliary, Knowledge, Needs, View
from seepage.views.intermediate_results import PENULTIMATE, intermediate_results, results_needs
from seepage.views.knowledge import required_auxiliary


@dataclass(frozen=True, kw_only=True)
class CorrelationAugmentation(Attack[FractionGuess]):
    r"""Teach the property to the model while it is trained, then compare norms: ProVFL-M of paper 000.

    The adversary misbehaves on its auxiliary rows (§V-C, Algorithm 2 of [1]_).
    Where it holds the labels of a binary task, it puts :math:`p_i`, whether the
    row has the property, in the place of the label (label replacement). And to
    what its own bottom model learns, it adds (model refinement)

    .. math:: \mathcal{L} = \mathcal{L}_s + \lambda \mathcal{L}_o, \qquad
              \mathcal{L}_s = \ell(f_T(f(x_i)), p_i), \qquad
              \mathcal{L}_o = -p'_i \frac{n_i}{1 + n_i}

    with a prediction head :math:`f_T` of its own, :math:`n_i` the mean absolute
    output of row *i*, and :math:`p'_i` = +1 with the property, −1 without (Eq. 11
    to 13). Afterwards it estimates the fraction from the spread of norms, as
    distribution comparison does (Algorithm 1).

    Parameters
    ----------
    replace_labels
        Whether labels are replaced. By default where the adversary holds them and
        the task is binary.
    refine
        Whether the bottom model is refined.
    weight
        :math:`\lambda`; 0 leaves :math:`\mathcal{L}_o` out.
    head
        The widths of the hidden layers of :math:`f_T`, with Tanh between them.
    head_learning_rate
        The learning rate of :math:`f_T`, by Adam.
    dropout
        The share of hidden units of :math:`f_T` that sit out while it learns.
    comparison
        How populations are made and compared.
    epoch
        The epoch of training that is read, counted from 0; −2 is the last but one.
    auxiliary
        How many auxiliary rows are known, and how well.

    Notes
    -----
    Departures from the paper, and from its authors' code:

    - Eq. 12 prints :math:`p'_i` as −1 and 0. The text wants longer rows with the
      property too, and the code has +1 and −1, as here.
    - :math:`\mathcal{L}_o` is averaged over the width and bounded by
      :math:`n / (1 + n)`. As printed it has no lowest value, norms explode, and
      the joint model is ruined. The code pulls on the logits of the head
      instead of the outputs of the bottom model.
    - Each auxiliary row weighs as much as a row of the task, in the batch in which
      it is trained on anyway. The code makes a pass over the auxiliary
      rows after each epoch, which comes to the same weight.
    - The head learns first, from outputs that are held still; then it is held
      still, without dropout, while it pulls on the bottom model.
    - Labels are replaced on auxiliary rows alone. The code replaces those of the
      first 4,032 training rows, and so uses properties that nobody gave it.
    - Gradients are replayed with the labels of the task for every row: replaced
      labels would mark auxiliary rows, and no others.

    References
    ----------
    .. [1] L. Bai et al., "ProVFL: Property Inference Attacks Against Vertical
       Federated Learning", IEEE TIFS 20, 2025.
    """

    name = "correlation-augmentation"
    steals = "properties"
    rows = "train"

    replace_labels: bool | None = None
    refine: bool = True
    weight: float = 1.0
    head: tuple[int, ...] = (256, 128, 64)
    head_learning_rate: float = 1e-3
    dropout: float = 0.1
    comparison: Comparison = Comparison()
    epoch: int = PENULTIMATE
    auxiliary: Auxiliary = Auxiliary()

    def __post_init__(self) -> None:
        if not self.refine and self.replace_labels is False:
            raise ValueError(
                "refine and replace_labels are both false, so nothing would be augmented; "
                "leave one of them on, or use distribution-comparison"
            )
        check_not_negative(weight=self.weight)
        check_widths(head=self.head)
        check_positive(head_learning_rate=self.head_learning_rate)
        check_below_one(dropout=self.dropout)

    @property
    def needs(self) -> Needs:
        """Embeddings of one epoch, own models at its end, auxiliary rows; labels where they must be replaced."""
        must_replace = self.replace_labels is True or not self.refine
        settings = ("replace_labels=false" if self.replace_labels else "", "" if self.refine else "refine=true")
        return replace(
            results_needs(self.auxiliary, self.epoch),
            labels=must_replace,
            binary=must_replace,
            otherwise=" and ".join(filter(None, settings)),
        )

    @property
    def tampering(self) -> BeginTampering:
        """Replace labels and refine the own bottom model, on auxiliary rows."""
        return self._begin

    def _begin(self, knowledge: Knowledge, rng: Generator) -> Tampering:
        from seepage.attacks.steps.augmentation import Augmentation, Refinement

        refinement = Refinement(self.weight, self.head, self.head_learning_rate, self.dropout, rng)
        known = required_auxiliary(knowledge)
        acting = Augmentation(known, self._replaces(knowledge), refinement if self.refine else None)
        return Tampering(table=known.in_table, labels=acting.labels, extra_loss=acting.extra_loss)

    def _replaces(self, knowledge: Knowledge) -> bool:
        """Whether labels are replaced: only their holder can, and only two classes can stand for a property."""
        if self.replace_labels is False:
            return False
        return any(part.labels is not None and part.classes == 2 for part in knowledge.own.values())

    def run(self, view: View, rng: Generator) -> FractionGuess:
        """Estimate the fraction among all training rows."""
        results = intermediate_results(view, self.epoch)
        known = required_auxiliary(view.knowledge)
        guess = compared_results(results, known, self.comparison, rng)
        replaced = len(known.rows) if self._replaces(view.knowledge) else 0
        return replace(guess, notes={**guess.notes, "replaced_labels": float(replaced)})
