"""A random forest whose thresholds lie with the parties."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.random import Generator

from seepage.checks import check_counts, check_shares
from seepage.federations.federation import agreed
from seepage.federations.trees.active_party import ActiveTreeParty
from seepage.federations.trees.criterion import Gini
from seepage.federations.trees.settings import GrowthSettings, SealingSettings
from seepage.federations.trees.split_draw import ALL_COLUMNS, ColumnsPerSplit, check_columns_per_split
from seepage.federations.trees.training import TREE_SEAMS, TreeFederation, TreeSetup
from seepage.hooks import Seam
from seepage.messages import TREE_KINDS, Kind, ModelKind
from seepage.settings import PART, composed
from seepage.transcript import Agreement
from seepage.trees.whole_tree import Release, combined

GROWN_TREES = TREE_SEAMS | {Seam.FINISHED_TREE}


@composed
@dataclass(frozen=True, kw_only=True)
class Forest(TreeFederation):
    r"""A random forest: each tree on a sample of rows and columns, grown level by level by all parties.

    Algorithms 1 and 2 of paper 003 [1]_. The active party sends the rows of the
    nodes to be split; every passive party answers with the class counts left of
    each of its candidates, added up under encryption; the active party takes
    the largest Gini gain, tells the winner alone which of its candidates won,
    and is sent the children's rows. A leaf holds class ratios and
    votes for the most frequent class.

    Parameters
    ----------
    trees
        How many trees.
    growth
        How far they grow, by the keys of `GrowthSettings`: behind every value, as in the paper's forest.
    row_sample
        The share of training rows that each tree is grown on, drawn without replacement.
    column_sample
        The share of its columns that each party draws for each tree.
    columns_per_split
        How many of those, over all parties, each split may choose from: a share of them, or
        ``sqrt``, the square root of their number, as in scikit-learn's forest. All parties draw
        them anew for every node from one seed that they share.
    release
        What a prediction says: ``votes``, the share of trees that vote for each
        class (as in paper 002), or ``ratios``, the mean of the trees' class
        ratios, which is smoother and says more.
    sealing
        How class counts are kept from those who add them up, by the keys of `SealingSettings`.

    References
    ----------
    .. [1] H. Takahashi, J. Liu and Y. Liu, "Eliminating Label Leakage in
       Tree-Based Vertical Federated Learning", 2023, §2.
    """

    name = "forest"
    offers = GROWN_TREES

    trees: int = 5
    growth: GrowthSettings = field(default=GrowthSettings(candidates="all"), metadata=PART)
    row_sample: float = 0.8
    column_sample: float = 0.8
    columns_per_split: ColumnsPerSplit = ALL_COLUMNS
    release: Release = "votes"
    sealing: SealingSettings = field(default=SealingSettings(), metadata=PART)

    def __post_init__(self) -> None:
        check_counts(trees=self.trees)
        check_shares(column_sample=self.column_sample, row_sample=self.row_sample)
        check_columns_per_split(self.columns_per_split)

    def terms(self, parties: tuple[str, ...], classes: int) -> Agreement:
        """Return the public terms."""
        kinds = TREE_KINDS if self.columns_per_split == ALL_COLUMNS else (*TREE_KINDS, Kind.SETUP)
        return agreed(self, parties, classes, outputs=classes, model=ModelKind.FOREST, kinds=kinds)

    def setup(self, terms: Agreement) -> TreeSetup:
        """Return how trees are grown."""
        return gini_trees(
            self.growth, self.sealing, self.release, terms, share=self.column_sample, per_split=self.columns_per_split
        )

    def grow(self, active: ActiveTreeParty, chance: Generator) -> None:
        """Grow all trees."""
        grow_forest(active, self.trees, self.row_sample, chance)


def gini_trees(
    growth: GrowthSettings,
    sealing: SealingSettings,
    release: Release,
    terms: Agreement,
    *,
    share: float = 1.0,
    per_split: ColumnsPerSplit = ALL_COLUMNS,
) -> TreeSetup:
    """Return how trees are grown whose leaves hold class ratios."""
    return TreeSetup(
        criterion=Gini(),
        slots=terms.classes,
        combine=partial(combined, release=release),
        growth=growth,
        sealing=sealing,
        column_share=share,
        columns_per_split=per_split,
    )


def grow_forest(active: ActiveTreeParty, trees: int, row_sample: float, chance: Generator) -> None:
    """Grow trees that know nothing of each other; the labels are sealed once for all of them."""
    material = active.material
    labels = np.eye(len(material.overall), dtype=np.int32)[material.labels]
    material.statistics.renew(labels)
    rows = len(material.train)
    for tree in range(trees):
        material.outbox.begin_round()
        sample = np.arange(rows)
        if row_sample < 1:
            sample = np.sort(chance.choice(rows, max(1, round(row_sample * rows)), replace=False))
        active.grow(tree, 0, labels, sample)
