"""A random forest whose thresholds lie with the parties."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.random import Generator

from seepage.checks import check_counts, check_shares
from seepage.federations.federation import Federation
from seepage.federations.trees.criterion import Gini
from seepage.federations.trees.settings import GrowthSettings, SealingSettings, tree_agreement
from seepage.federations.trees.split_draw import ALL_COLUMNS, ColumnsPerSplit, check_columns_per_split
from seepage.federations.trees.training import TREE_SEAMS, TreeRun, TreeSetup, set_out
from seepage.hooks import Hooks, Seam
from seepage.messages import ModelKind
from seepage.partition import PartitionedTable
from seepage.settings import PART, composed
from seepage.transcript import Agreement, Recording
from seepage.trees.whole_tree import Release, combined

GROWN_TREES = TREE_SEAMS | {Seam.FINISHED_TREE}


@composed
@dataclass(frozen=True, kw_only=True)
class Forest(Federation):
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

    def agreement(self, data: PartitionedTable) -> Agreement:
        """Return the public terms, or refuse data that cannot be trained on."""
        return tree_agreement(self, data, ModelKind.FOREST)

    def train(self, data: PartitionedTable, *, hooks: Hooks, record: Recording, rng: Generator) -> TreeRun:
        """Grow all trees."""
        return self.grown(data, self.agreement(data), hooks=hooks, record=record, rng=rng)

    def grown(
        self, data: PartitionedTable, agreement: Agreement, *, hooks: Hooks, record: Recording, rng: Generator
    ) -> TreeRun:
        """Grow trees that know nothing of each other; the labels are sealed once for all of them."""
        setup = TreeSetup(
            criterion=Gini(),
            slots=len(data.classes),
            combine=partial(combined, release=self.release),
            growth=self.growth,
            sealing=self.sealing,
            column_share=self.column_sample,
            columns_per_split=self.columns_per_split,
        )
        draws, chance = rng.spawn(2)
        run = set_out(data, setup, agreement, hooks, record, chance)
        material = run.active.material
        labels = np.eye(agreement.classes, dtype=np.int32)[material.labels]
        material.statistics.renew(labels)
        rows = len(material.train)
        for tree in range(self.trees):
            material.outbox.begin_round()
            sample = np.arange(rows)
            if self.row_sample < 1:
                sample = np.sort(draws.choice(rows, max(1, round(self.row_sample * rows)), replace=False))
            run.active.grow(tree, 0, labels, sample)
        return run
