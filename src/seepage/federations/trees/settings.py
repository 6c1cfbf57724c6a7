"""What tree federations share: how trees are grown, and how sums are sealed."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from seepage.checks import check_between, check_counts
from seepage.crypto import Encryption, check_key
from seepage.errors import BadSetting
from seepage.federations.federation import Federation, agreed
from seepage.messages import TREE_KINDS, Kind, ModelKind
from seepage.networks.backbones import refuse_names
from seepage.partition import PartitionedTable
from seepage.transcript import Agreement

CandidateKind: TypeAlias = Literal["quantiles-per-node", "all", "quantiles-once"]
DEEPEST: Final = 30
MOST_BINS: Final = 60_000


@dataclass(frozen=True, kw_only=True)
class GrowthSettings:
    """How far trees grow, and where they may be split.

    Parameters
    ----------
    depth
        The most levels of splits in a tree.
    candidates
        Where a column may be split: ``all``, behind every value that a node
        holds; ``quantiles-per-node``, at `bins` quantiles of the node's own
        values; ``quantiles-once``, at the same `bins` quantiles everywhere,
        which is the fast way.
    bins
        How many quantiles.
    least_rows
        The fewest rows that a child may have.
    """

    depth: int = 6
    candidates: CandidateKind
    bins: int = 32
    least_rows: int = 1

    def __post_init__(self) -> None:
        check_between(1, DEEPEST, depth=self.depth)
        check_between(2, MOST_BINS, bins=self.bins)
        check_counts(least_rows=self.least_rows)


@dataclass(frozen=True, kw_only=True)
class SealingSettings:
    """How what others add up is kept from them.

    Parameters
    ----------
    encryption
        ``none``: numbers stand in for the ciphertexts, which is fast and gives
        the same trees; ``okamoto-uchiyama`` or ``paillier``: real ciphertexts.
    key_bits
        The length of the key.
    insecure_key
        Allows keys below 2048 bits, for tests.
    """

    encryption: Encryption = "none"
    key_bits: int = 2048
    insecure_key: bool = False

    def __post_init__(self) -> None:
        check_key(self.encryption, self.key_bits, insecure_key=self.insecure_key)


def tree_agreement(
    federation: Federation, data: PartitionedTable, model: ModelKind, kinds: tuple[Kind, ...] = TREE_KINDS
) -> Agreement:
    """Return the public terms, or refuse data that no tree can be grown on."""
    if np.bincount(data.train).max(initial=0) > 1:
        raise ValueError("every row may take part in training once, but some are named twice")
    for part in data.parts.values():
        refuse_names(part)
    labels = data.labels[data.train]
    if np.count_nonzero(np.bincount(labels)) < 2:
        raise BadSetting(
            f"All {len(labels)} training rows are of class '{data.classes[int(labels[0])]}', so there is nothing to "
            "learn. Use a table whose training rows show two classes or more."
        )
    if not any(part.width for part in data.parts.values()):
        raise BadSetting("No party holds a column to split on. Give at least one party columns (--party NAME=COL,COL).")
    return agreed(federation, data, outputs=len(data.classes), model=model, kinds=kinds)
