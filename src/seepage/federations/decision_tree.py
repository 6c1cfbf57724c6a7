"""One decision tree whose thresholds lie with the parties."""

from dataclasses import dataclass, field

from numpy.random import Generator

from seepage.federations.federation import agreed
from seepage.federations.forest import GROWN_TREES, gini_trees, grow_forest
from seepage.federations.trees.active_party import ActiveTreeParty
from seepage.federations.trees.settings import GrowthSettings, SealingSettings
from seepage.federations.trees.training import TreeFederation, TreeSetup
from seepage.messages import TREE_KINDS, ModelKind
from seepage.settings import PART, composed
from seepage.transcript import Agreement
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

    def terms(self, parties: tuple[str, ...], classes: int) -> Agreement:
        """Return the public terms."""
        return agreed(self, parties, classes, outputs=classes, model=ModelKind.TREE, kinds=TREE_KINDS)

    def setup(self, terms: Agreement) -> TreeSetup:
        """Return how the tree is grown."""
        return gini_trees(self.growth, self.sealing, self.release, terms)

    def grow(self, active: ActiveTreeParty, chance: Generator) -> None:
        """Grow the tree, on all rows."""
        grow_forest(active, 1, 1.0, chance)
