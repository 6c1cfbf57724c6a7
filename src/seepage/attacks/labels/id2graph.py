"""Group rows by the leaves they met in."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.checks import check_choice, check_least, check_positive, check_shares
from seepage.guesses import ClusterGuess
from seepage.learners.clustering import grouped_k_means
from seepage.shapes import Labels
from seepage.views import Kind, ModelKind, Needs, View
from seepage.views.knowledge import own_columns
from seepage.views.trees.instance_spaces import Visibility, VisibleLeaves, parting_trees

Clustering: TypeAlias = Literal["k-means", "communities"]


@dataclass(frozen=True, kw_only=True)
class ID2Graph(Attack[ClusterGuess]):
    r"""Cluster rows by the communities of a graph of shared leaves: ID2Graph of paper 003.

    Trees gather rows of one class in their leaves. Rows that share visible
    leaves are joined, by Eq. 1 of [1]_,

    .. math:: A_{i,i'} = \sum_t \sum_u \eta^{t-1} \, [x_i \in D_u^t] \, [x_{i'} \in D_u^t] \, [u \in leaf^t],

    Louvain's method finds the communities of that graph (Eq. 2), and k-means
    with one cluster for each class is run on :math:`[\bar X, \alpha \Omega]`:
    the adversary's own columns between 0 and 1, beside one dummy for each
    community.

    Parameters
    ----------
    eta
        How much less every further round of trees counts, above 0 and up to 1.
        By default 0.6 under boosting, whose later trees tell less about labels,
        and 1 otherwise. Counted from the first round that is visible; all trees
        of one round count alike.
    alpha
        The weight of the dummies beside the own columns.
    chunk
        Cuts leaves of that many rows or more into chunks of at most so many,
        2 or more: the paper's approximation for large tables (Algorithm 3). By
        default leaves stay whole, which costs little here.
    chunk_weight
        The weight of the edge between a chunk and the next.
    clustering
        ``k-means`` makes one cluster for each class, as the paper does;
        ``communities`` are left as they are found, more of them than there are
        classes, and own columns are not read.
    visibility
        What counts as a visible leaf: ``subtraction`` also uses what is left of
        a known set when the known sets inside it are taken away; ``literal``
        takes only sets that were received or split off by the adversary itself.

    Examples
    --------
    The first of two trees shows rows 0 to 2 and rows 3 to 5 apart, the second is of no help:

    >>> from seepage.messages import Message
    >>> from seepage.transcript import Agreement, Transcript
    >>> from seepage.views import Knowledge, ThreatModel, observe
    >>> def space(epoch, step, nodes):
    ...     payload = {"node": np.array(nodes), "tree": np.array([0])}
    ...     return Message(Kind.INSTANCE_SPACE, "bank", "shop", epoch, step, np.arange(len(nodes)), payload)
    >>> terms = Agreement(federation="forest", parties=("bank", "shop"), active="bank",
    ...                   classes=2, top_model=False, outputs=0)
    >>> messages = (space(0, 0, [1] * 6), space(0, 1, [2] * 3), space(1, 0, [1] * 6))
    >>> known = Knowledge(threat=ThreatModel(adversaries=("shop",)), train=np.arange(6))
    >>> guess = ID2Graph().run(observe(Transcript(terms, messages), known), np.random.default_rng(0))
    >>> guess.clusters == guess.clusters[0]
    array([ True,  True,  True, False, False, False])

    Notes
    -----
    *Visible leaves.* The text of the paper counts leaves whose split the
    adversary knows; the authors' code also counts a leaf whose sibling is
    split again, and where both children are leaves of another party's split,
    the set of their parent. For two parties that is exactly what subtracting
    known sets from known sets yields, so ``subtraction`` is the default.

    *Graph.* It is a union of cliques, and modularity is computed exactly
    without writing down an edge. Algorithm 3 is therefore an option. As printed
    it links a chunk with itself; here the last row of a chunk is linked with
    the first of the next. Rows are shuffled before they are cut, or communities
    would follow the numbering of the rows.

    *Communities.* Louvain's method is carried further than the paper does: rows
    of the first level move again after the last, and small graphs are tried in
    several random orders, of which the highest modularity counts (`louvain`). A
    row is not joined with itself, as in Algorithm 3; Eq. 1 counts that too.

    A tree of which no more than the root was seen is left out: its rows are a
    random sample, and k-means would follow it instead of the labels. Rows in no
    visible leaf are assigned by their columns once the clusters are found, and
    count as one group where the communities are scored alone: as many groups as rows would look like
    knowledge to the V-measure. Of more than 256 communities only the largest get a dummy. An adversary whose
    columns are not known clusters the dummies alone.

    References
    ----------
    .. [1] H. Takahashi et al., "Eliminating Label Leakage in Tree-based
       Vertical Federated Learning", 2023, §3.
    """

    name = "id2graph"
    steals = "labels"
    rows = "train"
    needs = Needs(received=frozenset({Kind.INSTANCE_SPACE}), sent=frozenset({Kind.CHILD_SPACES}), passive=True)

    eta: float | None = None
    alpha: float = 3.0
    chunk: int | None = None
    chunk_weight: float = 100.0
    clustering: Clustering = "k-means"
    visibility: Visibility = "subtraction"

    def __post_init__(self) -> None:
        check_shares(eta=self.eta)
        check_positive(alpha=self.alpha, chunk_weight=self.chunk_weight)
        check_least(2, chunk=self.chunk)
        check_choice(Clustering, clustering=self.clustering)
        check_choice(Visibility, visibility=self.visibility)

    def run(self, view: View, rng: Generator) -> ClusterGuess:
        """Group all training rows."""
        trees = parting_trees(view, self.visibility)
        communities = self.communities(trees, rng, boosted=view.agreement.model is ModelKind.BOOSTING)
        placed = np.any([tree.leaf >= 0 for tree in trees], axis=0)
        together = np.where(placed, communities, communities.max(initial=0) + 1)
        if self.clustering == "communities":
            return ClusterGuess(view.knowledge.train, together)
        groups = np.where(placed, communities, -1)
        own, classes = own_columns(view.knowledge), view.agreement.classes
        columns = np.zeros((len(groups), 0)) if own is None else own
        clusters = grouped_k_means(columns, groups, self.alpha, classes, rng)
        return ClusterGuess(view.knowledge.train, clusters, {"communities": together})

    def communities(self, trees: tuple[VisibleLeaves, ...], rng: Generator, *, boosted: bool) -> Labels:
        """Return the community of every training row; a row in no leaf is alone in its own."""
        from seepage.communities import Cliques, chunked, louvain

        eta = self.eta if self.eta is not None else 0.6 if boosted else 1.0
        leaves = [tree.leaf for tree in trees]
        weights = [eta ** (tree.round - trees[0].round) for tree in trees]  # Eq. 1
        if self.chunk is None:
            graph = Cliques.of_leaves(leaves, weights)
        else:
            graph = chunked(leaves, weights, self.chunk, self.chunk_weight, rng)  # Algo. 3
        return louvain(graph, rng).labels  # Eq. 2
