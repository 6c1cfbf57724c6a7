"""Read labels off the gradients of the logits."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.guesses import LabelGuess
from seepage.shapes import Array, Mask, Matrix, Rows
from seepage.views import Epochs, Kind, Needs, View


@dataclass(frozen=True, kw_only=True)
class GradientSign(Attack[LabelGuess]):
    r"""Take the class whose logit is pulled up: the direct label inference attack of paper 001.

    Where logits are added up without a top model, the gradient that comes back
    for row *x* of class *c* is, by Eq. 2 of [1]_,

    .. math:: g_i = w_c \left( \frac{e^{y_i}}{\sum_j e^{y_j}} - [i = c] \right),

    negative at the true class and positive everywhere else, whatever the class
    weight :math:`w_c > 0` (Eq. 3) and the other parties' logits. The negative
    log likelihood of log-softmax outputs is the same loss. With a single logit
    the gradient is :math:`w_c(p - [c = 1])`: below zero means class 1.

    Parameters
    ----------
    epochs
        Which epochs of training to read, counted from 0; the first twenty by default.
    combine
        What counts where several gradients came back for a row: the ``first``
        that gives an answer, or the ``sum`` of all. Without a defense both read
        every label; noise that is drawn anew in every epoch averages out in a sum.
    rule
        ``smallest`` takes the unique smallest coordinate, even at 0;
        ``first-negative`` is the published rule. Where a rule has no answer in
        any epoch (a tie, no negative coordinate) the attack abstains, which
        counts as wrong.

    Examples
    --------
    Two rows of three classes, the first of class 1, the second of class 0:

    >>> from seepage.messages import Message
    >>> from seepage.transcript import Agreement, Transcript
    >>> from seepage.views import Knowledge, ThreatModel, observe
    >>> gradient = np.array([[0.3, -0.8, 0.5], [-0.6, 0.2, 0.4]])
    >>> message = Message(Kind.GRADIENT, "bank", "shop", 0, 0, np.array([4, 7]), {"gradient": gradient})
    >>> terms = Agreement(federation="summed-network", parties=("bank", "shop"), active="bank",
    ...                   classes=3, top_model=False, outputs=3)
    >>> view = observe(Transcript(terms, (message,)), Knowledge(threat=ThreatModel(adversaries=("shop",))))
    >>> guess = GradientSign().run(view, np.random.default_rng(0))
    >>> guess.rows, guess.labels
    (array([4, 7]), array([1, 0]))

    Notes
    -----
    The published rule asks for a negative coordinate. Late in training float32
    rounds the gradient at the true class to 0, and under noise several
    coordinates are negative; the smallest coordinate needs neither and contains
    the published rule wherever that has exactly one answer. Eq. 2 as printed
    normalizes by the adversary's logits alone; the softmax is over the sum of
    all parties' logits, which changes nothing about the signs. Without a defense
    the first epoch answers for every row. Later ones are read for rows whose
    first gradients were withheld: otherwise a defense that sends zeros for an
    epoch, or for most rows of it, would pass for protection.

    References
    ----------
    .. [1] C. Fu et al., "Label Inference Attacks Against Vertical Federated
       Learning", USENIX Security 2022, §3.5.
    """

    name = "gradient-sign"
    steals = "labels"
    rows = "train"

    epochs: tuple[int, ...] = tuple(range(20))
    combine: Literal["first", "sum"] = "first"
    rule: Literal["smallest", "first-negative"] = "smallest"

    def __post_init__(self) -> None:
        if not self.epochs or min(self.epochs) < 0:
            raise ValueError(f"epochs must be one or more numbers from 0 on, got {self.epochs}")

    @property
    def needs(self) -> Needs:
        """Gradients of the logits, of the epochs to read."""
        return Needs(
            received=frozenset({Kind.GRADIENT}), epochs=Epochs.only(*self.epochs), logit_gradients=True, passive=True
        )

    def run(self, view: View, rng: Generator) -> LabelGuess:
        """Read the label of every row for which a gradient came back."""
        del rng  # nothing here is random
        messages = view.received(Kind.GRADIENT, Epochs.only(*self.epochs))
        rows = np.concatenate([message.rows for message in messages])
        gradients = np.concatenate([message.payload["gradient"] for message in messages])
        gradients = np.where(
            np.isfinite(gradients), gradients, 0.0
        )  # of a training that diverged: no number says nothing
        if gradients.shape[1] == 1:  # one logit speaks for class 1; class 0 is pulled the other way
            gradients = np.hstack((-gradients, gradients))
        if self.combine == "sum":
            rows, gradients = _summed(rows, gradients)
        chosen, silent = (_smallest if self.rule == "smallest" else _first_negative)(gradients)
        order = np.argsort(silent, kind="stable")  # answers before silence, otherwise as they came
        seen, first = np.unique(rows[order], return_index=True)
        taken = order[first]
        scores = np.zeros((len(seen), gradients.shape[1]))
        scores[np.arange(len(seen)), chosen[taken]] = ~silent[taken]
        return LabelGuess(rows=seen, scores=scores, abstained=silent[taken])


def _summed(rows: Rows, gradients: Matrix) -> tuple[Rows, Matrix]:
    seen, position = np.unique(rows, return_inverse=True)
    total = np.zeros((len(seen), gradients.shape[1]))
    np.add.at(total, position, gradients)
    return seen, total


def _smallest(gradients: Matrix) -> tuple[Array, Mask]:
    least = gradients.min(axis=1, keepdims=True)
    tied: Mask = np.asarray(np.count_nonzero(gradients == least, axis=1) > 1)
    return gradients.argmin(axis=1), tied


def _first_negative(gradients: Matrix) -> tuple[Array, Mask]:
    negative = gradients < 0
    return negative.argmax(axis=1), np.asarray(~negative.any(axis=1))
