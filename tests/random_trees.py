"""Random whole trees for tests, and rows to send down them."""

import numpy as np

from seepage.trees.whole_tree import WholeTree

GRID = np.arange(1, 10) / np.float32(8)
"""Few thresholds and values, so that ties and contradictions do occur."""


def random_tree(rng, *, columns: int = 4, depth: int = 4, classes: int = 3, grafted: float = 0.0) -> WholeTree:
    """Split at random; nodes other than the root are numbered in no order."""
    kids: dict[int, tuple[int, int]] = {}
    ends, grown, count = [(0, 0)], [], 1
    while ends:
        node, level = ends.pop()
        if level < depth and (level == 0 or rng.random() < 0.8):
            kids[node] = (count, count + 1)
            ends += [(count, level + 1), (count + 1, level + 1)]
            count += 2
        grown.append(node)
    number = np.concatenate([[0], 1 + rng.permutation(count - 1)])
    column, left, right = np.full((3, count), -1)
    for node, (one, two) in kids.items():
        column[number[node]] = rng.integers(columns)
        left[number[node]], right[number[node]] = number[one], number[two]
    leaf = column < 0
    return WholeTree(
        column=column,
        threshold=rng.choice(GRID, count).astype(np.float32),
        missing_left=rng.random(count) < 0.5,
        left=left,
        right=right,
        values=np.where(leaf[:, None], rng.dirichlet(np.ones(classes), count), 0.0),
        grafted=leaf & (rng.random(count) < grafted),
    )


def random_rows(rng, rows: int, columns: int, missing: float = 0.2) -> np.ndarray:
    """Values on and between the thresholds, some of them missing."""
    values = rng.choice(np.arange(0, 21) / np.float32(16), (rows, columns)).astype(np.float32)
    values[rng.random(values.shape) < missing] = np.nan
    return values
