"""Read labels off the length of returned gradients."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Asset, Role, ScoredRows
from seepage.guesses import LabelGuess
from seepage.views import Epochs, Kind, Needs, View


@dataclass(frozen=True, kw_only=True)
class GradientNorm:
    r"""Rank rows by gradient length: the rarer class is pulled harder.

    With two classes the gradient of row *i* is :math:`(p_i - y_i) \nabla f(z_i)`,
    so while :math:`p_i` is near the base rate, rows of the rarer class come
    back longer (Li et al., "Label Leakage and Protection in Two-party Split
    Learning", ICLR 2022). Rows longer than the mean are guessed to be of class
    `rarer`. A network that starts far from the base rate can turn the order
    around: the lengths still tell the classes apart, but not which is which.

    Parameters
    ----------
    rarer
        The class that the adversary believes to be the rarer one.
    """

    name: ClassVar[str] = "gradient-norm"
    steals: ClassVar[Asset] = "labels"
    role: ClassVar[Role] = "attack"
    rows: ClassVar[ScoredRows] = "train"
    tampering: ClassVar[None] = None
    needs: ClassVar[Needs] = Needs(received=frozenset({Kind.GRADIENT}), epochs=Epochs.only(0), passive=True)

    rarer: int = 0

    def run(self, view: View, rng: Generator) -> LabelGuess:
        """Score every row that came back in the first epoch."""
        del rng  # nothing here is random
        messages = view.received(Kind.GRADIENT, Epochs.only(0))
        rows = np.concatenate([message.rows for message in messages])
        lengths = np.concatenate([np.linalg.norm(message.payload["gradient"], axis=1) for message in messages])
        seen, position = np.unique(rows, return_inverse=True)
        length = np.bincount(position, weights=lengths) / np.bincount(position)
        scores = np.zeros((len(seen), view.agreement.classes))
        scores[:, self.rarer] = length
        scores[:, 1 - self.rarer] = 2 * length.mean() - length
        return LabelGuess(rows=seen, scores=scores)
