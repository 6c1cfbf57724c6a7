"""Group rows by the adversary's own columns and by the leaves they ever shared."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.checks import check_choice, check_positive
from seepage.guesses import ClusterGuess
from seepage.learners.clustering import connected, grouped_k_means
from seepage.views import Kind, Needs, View
from seepage.views.knowledge import required_columns
from seepage.views.trees.instance_spaces import Visibility, parting_trees


@dataclass(frozen=True, kw_only=True)
class UnionClustering(Attack[ClusterGuess]):
    r"""Cluster own columns beside the components that shared leaves make: UNI+CL of paper 003.

    k-means, one cluster for each class, on :math:`[\bar X, \alpha \Omega]`: the
    adversary's own columns between 0 and 1, beside one dummy for each connected
    component of the graph of shared leaves.

    Parameters
    ----------
    alpha
        The weight of the dummies beside the own columns.
    visibility
        What counts as a visible leaf: ``subtraction`` also uses what is left of
        a known set when the known sets inside it are taken away; ``literal``
        takes only sets that were received or split off by the adversary itself.

    Examples
    --------
    The column puts rows 1 and 2 together, shared leaves say otherwise:

    >>> from seepage.messages import Message
    >>> from seepage.partition import OwnPart
    >>> from seepage.transcript import Agreement
    >>> from seepage.views import Knowledge, ThreatModel
    >>> columns = np.array([[0.0], [0.5], [0.6], [1.0]], dtype=np.float32)
    >>> part = OwnPart(party="shop", columns=("age",), features=columns, names=("age",), attributes=np.zeros(1, int))
    >>> terms = Agreement(federation="forest", parties=("bank", "shop"), active="bank",
    ...                   classes=2, top_model=False, outputs=0)
    >>> payload = {"node": np.array([2, 2, 3, 3]), "tree": np.array([0])}
    >>> message = Message(Kind.INSTANCE_SPACE, "bank", "shop", 0, 1, np.arange(4), payload)
    >>> known = Knowledge(threat=ThreatModel(adversaries=("shop",)), own={"shop": part}, train=np.arange(4))
    >>> guess = UnionClustering().run(View(terms, known, (message,)), np.random.default_rng(0))
    >>> guess.clusters == guess.clusters[0]
    array([ True,  True, False, False])

    Notes
    -----
    The paper gives no weight for the dummies of this baseline; it has the
    default of ID2Graph here, so that the two differ in their groups alone. A tree
    of which no more than the root was seen is left out, as by ID2Graph. Rows in
    no visible leaf are assigned by their columns once the clusters are found,
    and of more than 256 components only the largest get a dummy.

    References
    ----------
    .. [1] H. Takahashi et al., "Eliminating Label Leakage in Tree-based
       Vertical Federated Learning", 2023, §5.
    """

    name = "union-clustering"
    steals = "labels"
    role = "baseline"
    rows = "train"
    needs = Needs(received=frozenset({Kind.INSTANCE_SPACE}), sent=frozenset({Kind.CHILD_SPACES}), passive=True)

    alpha: float = 3.0
    visibility: Visibility = "subtraction"

    def __post_init__(self) -> None:
        check_positive(alpha=self.alpha)
        check_choice(Visibility, visibility=self.visibility)

    def run(self, view: View, rng: Generator) -> ClusterGuess:
        """Group all training rows."""
        leaves = [tree.leaf for tree in parting_trees(view, self.visibility)]
        components = connected(leaves)
        placed = np.any([leaf >= 0 for leaf in leaves], axis=0)
        groups = np.where(placed, components, -1)
        clusters = grouped_k_means(required_columns(view.knowledge), groups, self.alpha, view.agreement.classes, rng)
        return ClusterGuess(
            view.knowledge.train, clusters, {"components": np.where(placed, components, components.max(initial=0) + 1)}
        )
