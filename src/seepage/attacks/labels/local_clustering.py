"""Group rows by the adversary's own columns."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.guesses import ClusterGuess
from seepage.learners.clustering import k_means, min_max
from seepage.views import Needs, View
from seepage.views.knowledge import required_columns


@dataclass(frozen=True, kw_only=True)
class LocalClustering(Attack[ClusterGuess]):
    """Cluster the adversary's own columns with k-means, reading no message: the baseline CL of paper 003.

    Columns are brought between 0 and 1; there is one cluster for each class. It
    is what an adversary can do without a federation, and no attack on messages
    is worth anything that does not beat it. It has no parameters.

    Examples
    --------
    >>> from seepage.partition import OwnPart
    >>> from seepage.transcript import Agreement
    >>> from seepage.views import Knowledge, ThreatModel
    >>> columns = np.array([[0.0], [0.1], [0.9], [1.0]], dtype=np.float32)
    >>> part = OwnPart(party="shop", columns=("age",), features=columns, names=("age",), attributes=np.zeros(1, int))
    >>> terms = Agreement(federation="forest", parties=("bank", "shop"), active="bank",
    ...                   classes=2, top_model=False, outputs=0)
    >>> known = Knowledge(threat=ThreatModel(adversaries=("shop",)), own={"shop": part}, train=np.arange(4))
    >>> guess = LocalClustering().run(View(terms, known), np.random.default_rng(0))
    >>> guess.clusters == guess.clusters[0]
    array([ True,  True, False, False])

    References
    ----------
    .. [1] H. Takahashi et al., "Eliminating Label Leakage in Tree-based
       Vertical Federated Learning", 2023, §5.
    """

    name = "local-clustering"
    steals = "labels"
    role = "baseline"
    rows = "train"
    needs = Needs(passive=True)

    def run(self, view: View, rng: Generator) -> ClusterGuess:
        """Group all training rows."""
        own = np.asarray(required_columns(view.knowledge))
        return ClusterGuess(view.knowledge.train, k_means(min_max(own), view.agreement.classes, rng))
