"""One decision tree whose thresholds lie with the parties."""

from dataclasses import dataclass, field

from numpy.random import Generator

from seepage.federations.forest import GROWN_TREES, gini_trees, grow_forest
from seepage.federations.trees.settings import GrowthSettings, SealingSettings, tree_agreement
from seepage.federations.trees.training import TreeFederation, TreeRun, TreeSetup
from seepage.hooks import Hooks
from seepage.messages import ModelKind
from seepage.partition import PartitionedTable
from seepage.settings import PART, composed
from seepage.transcript import Agreement, Recording
from seepage.trees.whole_tree import Release


@composed
@dataclass(frozen=True, kw_only=True)
class DecisionTree(TreeFederation):
    """One decision tree on all rows and columns, grown level by level by all parties.

    The protocol is that of `forest` with a single tree: Algorithms 1 and 2 of
    paper 003, Gini gain, class ratios at the leaves.

    Parameters
    ----------
    growth
        How far it grows, by the keys of `GrowthSettings`.
    release
        What a prediction says: ``votes``, the class of the leaf with confidence
        1 (as in paper 002), or ``ratios``, the class ratios of the leaf.
    sealing
        How class counts are kept from those who add them up, by the keys of `SealingSettings`.
    """

    name = "decision-tree"
    offers = GROWN_TREES

    growth: GrowthSettings = field(default=GrowthSettings(candidates="all"), metadata=PART)
    release: Release = "votes"
    sealing: SealingSettings = field(default=SealingSettings(), metadata=PART)

    def agreement(self, data: PartitionedTable) -> Agreement:
        """Return the public terms, or refuse data that cannot be trained on."""
        return tree_agreement(self, data, ModelKind.TREE)

    def setup(self, terms: Agreement) -> TreeSetup:
        """Return how the tree is grown."""
        return gini_trees(self.growth, self.sealing, self.release, terms)

    def train(self, data: PartitionedTable, *, hooks: Hooks, record: Recording, rng: Generator) -> TreeRun:
        """Grow the tree, on all rows."""
        return grow_forest(self, data, 1, 1.0, hooks=hooks, record=record, rng=rng)
