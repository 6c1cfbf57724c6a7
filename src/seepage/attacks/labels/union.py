"""Join rows that ever shared a leaf."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.checks import check_choice
from seepage.guesses import ClusterGuess
from seepage.learners.clustering import connected
from seepage.views import Kind, Needs, View
from seepage.views.trees.instance_spaces import Visibility, parting_trees


@dataclass(frozen=True, kw_only=True)
class Union(Attack[ClusterGuess]):
    """Take rows that share a visible leaf of some tree for one class: the union attack (UNI) of SecureBoost.

    What shares a leaf with a row that shares another leaf with a third belongs
    together as well, so that the guess consists of the connected components of
    the graph of shared leaves. One impure leaf joins two classes for good:
    beyond a few pure trees nearly everything is one component.

    Parameters
    ----------
    visibility
        What counts as a visible leaf: ``subtraction`` also uses what is left of
        a known set when the known sets inside it are taken away; ``literal``
        takes only sets that were received or split off by the adversary itself.

    Examples
    --------
    Row 2 shares a leaf with rows 0 and 1 in the first tree, and with row 3 in the second:

    >>> import numpy as np
    >>> from seepage.messages import Message
    >>> from seepage.transcript import Agreement, Transcript
    >>> from seepage.views import Knowledge, ThreatModel, observe
    >>> def space(epoch, step, rows, nodes):
    ...     payload = {"node": np.array(nodes), "tree": np.array([0])}
    ...     return Message(Kind.INSTANCE_SPACE, "bank", "shop", epoch, step, np.array(rows), payload)
    >>> terms = Agreement(federation="forest", parties=("bank", "shop"), active="bank",
    ...                   classes=2, top_model=False, outputs=0)
    >>> messages = (space(0, 1, [0, 1, 2, 3, 4], [2, 2, 2, 3, 3]), space(1, 1, [2, 3, 4], [2, 2, 3]))
    >>> known = Knowledge(threat=ThreatModel(adversaries=("shop",)), train=np.arange(6))
    >>> Union().run(observe(Transcript(terms, messages), known), np.random.default_rng(0)).clusters
    array([0, 0, 0, 0, 0, 2])

    Notes
    -----
    [1]_ has rows joined that "are assigned together to at least one node".
    Taken by the word that includes the root, which joins everything; with
    leaves, here the smallest visible sets, it can tell something apart. For the
    same reason a tree of which no more than the root was seen, as under
    `purity-limit`, is left out. Rows in no visible leaf count as one group of
    their own.

    References
    ----------
    .. [1] H. Takahashi et al., "Eliminating Label Leakage in Tree-based
       Vertical Federated Learning", 2023, §5.
    .. [2] K. Cheng et al., "SecureBoost: A Lossless Federated Learning
       Framework", IEEE Intelligent Systems 2021.
    """

    name = "union"
    steals = "labels"
    role = "baseline"
    rows = "train"
    needs = Needs(received=frozenset({Kind.INSTANCE_SPACE}), sent=frozenset({Kind.CHILD_SPACES}), passive=True)

    visibility: Visibility = "subtraction"

    def __post_init__(self) -> None:
        check_choice(Visibility, visibility=self.visibility)

    def run(self, view: View, rng: Generator) -> ClusterGuess:
        """Group all training rows."""
        del rng  # nothing here is random
        trees = parting_trees(view, self.visibility)
        components = connected([tree.leaf for tree in trees])
        placed = np.any([tree.leaf >= 0 for tree in trees], axis=0)
        return ClusterGuess(view.knowledge.train, np.where(placed, components, components.max(initial=0) + 1))
