"""One decision tree whose thresholds lie with the parties."""

from dataclasses import asdict, dataclass
from typing import ClassVar

from numpy.random import Generator

from seepage.crypto import Encryption
from seepage.federations.forest import GROWN_TREES, Forest
from seepage.federations.trees.own_columns import CandidateKind
from seepage.federations.trees.settings import tree_agreement
from seepage.federations.trees.training import TreeRun
from seepage.hooks import Hooks, Seam
from seepage.messages import ModelKind
from seepage.models.trees.voting import Release
from seepage.partition import PartitionedTable
from seepage.transcript import Agreement, Recording


@dataclass(frozen=True, kw_only=True)
class DecisionTree:
    """One decision tree on all rows and columns, grown level by level by all parties.

    The protocol is that of `forest` with a single tree: Algorithms 1 and 2 of
    paper 003, Gini gain, class ratios at the leaves.

    Parameters
    ----------
    depth
        The most levels of splits.
    candidates
        Where a column may be split: ``all``, behind every value that a node
        holds; ``quantiles-per-node``, at `bins` quantiles of the node's own
        values; ``quantiles-once``, at the same `bins` quantiles everywhere.
    bins
        How many quantiles.
    least_rows
        The fewest rows that a child may have.
    release
        What a prediction says: ``votes``, the class of the leaf with confidence
        1 (as in paper 002), or ``ratios``, the class ratios of the leaf.
    encryption
        ``none``: numbers stand in for the ciphertexts, which is fast and gives
        the same trees; ``okamoto-uchiyama`` or ``paillier``: real ciphertexts.
    key_bits
        The length of the key.
    insecure_key
        Allows keys below 2048 bits, for tests.
    """

    name: ClassVar[str] = "decision-tree"
    offers: ClassVar[frozenset[Seam]] = GROWN_TREES

    depth: int = 6
    candidates: CandidateKind = "all"
    bins: int = 32
    least_rows: int = 1
    release: Release = "votes"
    encryption: Encryption = "none"
    key_bits: int = 2048
    insecure_key: bool = False

    def __post_init__(self) -> None:
        self._forest()

    def _forest(self) -> Forest:
        """Return the forest that this tree is; it refuses what no tree can be."""
        return Forest(trees=1, row_sample=1.0, column_sample=1.0, **asdict(self))

    def agreement(self, data: PartitionedTable) -> Agreement:
        """Return the public terms, or refuse data that cannot be trained on."""
        return tree_agreement(data, self.name, asdict(self), ModelKind.TREE)

    def train(self, data: PartitionedTable, *, hooks: Hooks, record: Recording, rng: Generator) -> TreeRun:
        """Grow the tree."""
        return self._forest().grown(data, self.agreement(data), hooks=hooks, record=record, rng=rng)
