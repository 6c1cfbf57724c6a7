"""Group rows by what the own bottom model makes of them."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.checks import check_choice
from seepage.errors import IncompatibleView
from seepage.guesses import ClusterGuess
from seepage.learners.clustering import k_means, spectral_cut, standardized
from seepage.views import Needs, View
from seepage.views.own_bottoms import own_bottoms

Method: TypeAlias = Literal["spectral", "k-means"]


@dataclass(frozen=True, kw_only=True)
class EmbeddingClustering(Attack[ClusterGuess]):
    r"""Group the own trained bottom model's outputs, which training pulled apart; no label need be known.

    Gradients have taught the adversary's bottom model :math:`f` to help tell classes apart,
    so its outputs fall into groups that own columns do not show [1]_. With
    :math:`z_i = f(x_i)` after training, one group for each class is found by the normalized
    cut of the graph that joins all rows by

    .. math:: A_{ij} = \tfrac12 \left(1 + \cos(z_i, z_j)\right).

    Which group is which class is not told.

    Parameters
    ----------
    method
        ``spectral``: the normalized cut; ``k-means``: k-means on standardized outputs.

    Notes
    -----
    The authors project centered outputs of two classes on their first singular vector. Lengths of
    outputs behind a ReLU have long tails, which that vector follows; the cut compares directions,
    and its second eigenvector is the same idea on these. It is exact for all rows, in time that
    grows with their number alone. For more than two classes the authors have no attack; k-means is
    what others would try, and now better, now worse than the cut.

    References
    ----------
    .. [1] J. Sun et al., "Label Leakage and Protection from Forward Embedding in
       Vertical Federated Learning", arXiv 2203.01451, 2022.
    """

    name = "embedding-clustering"
    steals = "labels"
    rows = "train"
    needs = Needs(passive=True, bottom=True)

    method: Method = "spectral"

    def __post_init__(self) -> None:
        check_choice(Method, method=self.method)

    def run(self, view: View, rng: Generator) -> ClusterGuess:
        """Group all training rows."""
        rows, classes = view.knowledge.train, view.agreement.classes
        outputs = own_bottoms(view).outputs(rows)
        if not np.isfinite(outputs).all():
            raise IncompatibleView(
                "Some outputs of the own bottom model are no numbers, so they cannot be grouped.\n"
                "Train with a lower learning rate."
            )
        if self.method == "spectral":
            return ClusterGuess(rows, spectral_cut(outputs, classes, rng))
        return ClusterGuess(rows, k_means(standardized(outputs), classes, rng))
