"""Checks that tree federations share."""

import math

import numpy as np

from seepage.crypto import Encryption, check_key
from seepage.errors import BadSetting
from seepage.federations.words import refuse_words
from seepage.messages import TREE_KINDS, ModelKind
from seepage.partition import PartitionedTable
from seepage.transcript import Agreement

DEEPEST = 30
MOST_BINS = 60_000


def check_growth(*, depth: int, bins: int, least_rows: int, column_sample: float = 1.0, trees: int = 1) -> None:
    """Refuse trees that cannot be grown."""
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth must be between 1 and {DEEPEST}, got {depth}")
    if trees < 1:
        raise ValueError(f"trees must be 1 or more, got {trees}")
    if not 2 <= bins <= MOST_BINS:
        raise ValueError(f"bins must be between 2 and {MOST_BINS}, got {bins}")
    if least_rows < 1:
        raise ValueError(f"least_rows must be 1 or more, got {least_rows}")
    check_share("column_sample", column_sample)


def check_share(name: str, share: float) -> None:
    """Refuse a share that is none."""
    if not 0 < share <= 1:
        raise ValueError(f"{name} must be above 0 and at most 1, got {share}")


def check_not_negative(**values: float) -> None:
    """Refuse negative or infinite strengths."""
    for name, value in values.items():
        if not 0 <= value < math.inf:
            raise ValueError(f"{name} must be 0 or more and finite, got {value}")


def check_encryption(encryption: Encryption, key_bits: int, *, insecure_key: bool) -> None:
    """Refuse keys that protect nothing."""
    check_key(encryption, key_bits, insecure_key=insecure_key)


def tree_agreement(data: PartitionedTable, name: str, settings: dict[str, object], model: ModelKind) -> Agreement:
    """Return the public terms, or refuse data that no tree can be grown on."""
    if np.bincount(data.train).max(initial=0) > 1:
        raise ValueError("every row may take part in training once, but some are named twice")
    refuse_words(data)
    labels = data.labels[data.train]
    if np.count_nonzero(np.bincount(labels)) < 2:
        raise BadSetting(
            f"All {len(labels)} training rows are of class '{data.classes[int(labels[0])]}', so there is nothing to "
            "learn. Use a table whose training rows show two classes or more."
        )
    if not any(part.width for part in data.parts.values()):
        raise BadSetting("No party holds a column to split on. Give at least one party columns (--party NAME=COL,COL).")
    return Agreement(
        federation=name,
        parties=data.parties,
        active=data.active,
        classes=len(data.classes),
        top_model=True,
        outputs=len(data.classes),
        settings=settings,
        kinds=TREE_KINDS,
        model=model,
    )
