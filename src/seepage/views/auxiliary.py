"""Rows of which an adversary knows whether they have a property."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.checks import check_least
from seepage.errors import BadSetting
from seepage.partition import OwnPart, PartitionedTable
from seepage.shapes import Labels, Mask, Rows

MOST: Final = 2000
"""So many rows of each side the paper has."""
SHARE: Final = 0.05
"""Unless told otherwise, so large a share of the training rows is known of each side at most."""
FEWEST: Final = 5
"""Fewer rows of a side cannot be learned from and checked on."""


@dataclass(frozen=True)
class Auxiliary:
    """How many people the adversary has asked, and how well it knows them.

    Parameters
    ----------
    rows
        How many rows with the property it knows, and as many without; where a
        side has fewer, all of that side. By default 2,000, but at most 5 % of the
        training rows and half of the side.
    mislabelled
        Of which share of either side it is wrong about the property.
    aligned
        Whether the other parties know these people as well. Where they do not,
        their columns stand in for aligned rows of the adversary (§VI-B4 of paper 000).
    """

    rows: int | None = None
    mislabelled: float = 0.0
    aligned: bool = True

    def __post_init__(self) -> None:
        check_least(FEWEST, **{"auxiliary.rows": self.rows})
        if not 0 <= self.mislabelled < 0.5:
            raise ValueError(f"auxiliary.mislabelled must be 0 or more and below 0.5, got {self.mislabelled}")


@dataclass(frozen=True, eq=False)
class KnownRows:
    """The auxiliary rows as they were drawn.

    Parameters
    ----------
    rows
        The training rows whose intermediate results speak of these people.
    source
        The rows of the adversary's own table that hold their columns: the same
        rows, unless people whom nobody else knows stand in.
    has
        Whether each has the property, as far as the adversary knows.
    exhausted
        Whether there is no other training row with the property.
    """

    rows: Rows
    source: Rows
    has: Mask
    exhausted: bool = False

    @property
    def aligned(self) -> bool:
        """Whether these people take part themselves."""
        return bool(np.array_equal(self.rows, self.source))

    @property
    def share(self) -> float:
        """Which share of them has the property."""
        return float(self.has.mean())

    def in_table(self, part: OwnPart) -> OwnPart:
        """Put the columns of people who stand in into the aligned rows of the adversary."""
        if self.aligned:
            return part
        features = part.features.copy()
        features[self.rows] = part.features[self.source]
        return replace(part, features=features)

    def in_labels(self, labels: Labels) -> Labels:
        """Give these rows the labels of people who stand in."""
        if self.aligned:
            return labels
        changed = labels.copy()
        changed[self.rows] = labels[self.source]
        return changed


def draw_auxiliary(data: PartitionedTable, asked: Auxiliary, has: Mask, rng: Generator) -> KnownRows:
    """Draw auxiliary rows: from the training rows, or from rows that take no part where they are not aligned."""
    pool = data.train if asked.aligned else data.test
    if asked.rows is not None and 2 * asked.rows > len(pool):
        raise BadSetting(
            f"{asked.rows} auxiliary rows with the property and as many without were asked for, but there are only "
            f"{len(pool)} {'training rows' if asked.aligned else 'rows outside training'}. Ask for fewer "
            f"(auxiliary.rows={len(pool) // 4})."
        )
    sides = [pool[has[pool]], pool[~has[pool]]]
    drawn = [rng.permutation(side)[: _size(asked, len(side), len(data.train))] for side in sides]
    if min(map(len, drawn)) < FEWEST:
        raise BadSetting(
            f"There are {len(sides[0])} rows with the property and {len(sides[1])} without to draw auxiliary rows "
            f"from, but {FEWEST} of each are needed. Use more rows, or another property."
        )
    source = np.concatenate(drawn)
    if not asked.aligned and len(source) > len(data.train):
        raise BadSetting(
            f"{len(source)} auxiliary rows were drawn, but there are only {len(data.train)} training rows for them to "
            "stand in for. Ask for fewer (auxiliary.rows=100)."
        )
    known = np.repeat([True, False], [len(side) for side in drawn])
    for side in (np.flatnonzero(known), np.flatnonzero(~known)):
        wrong = rng.permutation(side)[: round(asked.mislabelled * len(side))]
        known[wrong] = ~known[wrong]
    rows = source if asked.aligned else rng.choice(data.train, size=len(source), replace=False)
    return KnownRows(rows, source, known, exhausted=asked.aligned and len(drawn[0]) == len(sides[0]))


def _size(asked: Auxiliary, side: int, training: int) -> int:
    if asked.rows is not None:
        return min(asked.rows, side)
    return min(MOST, max(FEWEST, int(SHARE * training)), max(FEWEST, side // 2))
