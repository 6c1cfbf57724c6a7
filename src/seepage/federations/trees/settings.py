"""What tree federations share: how trees are grown, and how sums are sealed."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from seepage.checks import check_between, check_counts
from seepage.crypto import Encryption, check_key
from seepage.errors import BadSetting
from seepage.networks.backbones import refuse_names
from seepage.partition import OwnPart

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


def check_part(part: OwnPart) -> None:
    """Refuse a party's own part that no tree can be grown on."""
    if np.bincount(part.rows).max(initial=0) > 1:
        raise ValueError("every row may take part in training once, but some are named twice")
    refuse_names(part)
    if part.labels is not None and len(np.unique(part.labels[part.rows])) < 2:
        raise BadSetting(
            f"All {len(part.rows)} training rows are of one class, so there is nothing to learn. "
            "Use a table whose training rows show two classes or more."
        )
